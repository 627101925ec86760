package dev.pillion.idea

import com.intellij.execution.DefaultExecutionResult
import com.intellij.execution.Executor
import com.intellij.execution.configurations.ConfigurationFactory
import com.intellij.execution.configurations.ConfigurationType
import com.intellij.execution.configurations.ConfigurationTypeBase
import com.intellij.execution.configurations.RunConfiguration
import com.intellij.execution.configurations.RunConfigurationBase
import com.intellij.execution.configurations.RunProfileState
import com.intellij.execution.filters.TextConsoleBuilderFactory
import com.intellij.execution.runners.ExecutionEnvironment
import com.intellij.openapi.options.SettingsEditor
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.IconLoader
import javax.swing.JComponent
import javax.swing.JTextField
import org.jdom.Element
import pillion.ExecParams

/** Run configurations: a command, and nothing about how it is confined, for they may come with a repository. */
class PillionConfigurationType : ConfigurationTypeBase("dev.pillion.run", "pillion", "A command, judged by pillion and run in its sandbox", IconLoader.getIcon("/icons/pillion.svg", PillionConfigurationType::class.java)) {
    init {
        addFactory(Factory(this))
    }

    private class Factory(type: ConfigurationType) : ConfigurationFactory(type) {
        override fun getId(): String = "dev.pillion.run"

        override fun createTemplateConfiguration(project: Project): RunConfiguration = PillionRunConfiguration(project, this)
    }
}

class PillionRunConfiguration(project: Project, factory: ConfigurationFactory) : RunConfigurationBase<Any>(project, factory, "pillion") {
    var command: String = ""

    override fun getConfigurationEditor(): SettingsEditor<out RunConfiguration> = Editor()

    override fun readExternal(element: Element) {
        super.readExternal(element)
        command = element.getAttributeValue("command") ?: ""
    }

    override fun writeExternal(element: Element) {
        super.writeExternal(element)
        element.setAttribute("command", command)
    }

    override fun getState(executor: Executor, environment: ExecutionEnvironment): RunProfileState = RunProfileState { _, _ ->
        val service = PillionService.of(project)
        val handler = PillionProcessHandler(ExecParams(command = command, cwd = project.basePath)) { params, listener -> service.run(params, listener) }
        val console = TextConsoleBuilderFactory.getInstance().createBuilder(project).console
        console.attachToProcess(handler)
        DefaultExecutionResult(console, handler)
    }

    private class Editor : SettingsEditor<PillionRunConfiguration>() {
        private val field = JTextField()

        override fun resetEditorFrom(configuration: PillionRunConfiguration) {
            field.text = configuration.command
        }

        override fun applyEditorTo(configuration: PillionRunConfiguration) {
            configuration.command = field.text
        }

        override fun createEditor(): JComponent = field
    }
}
