package dev.pillion.idea

import com.intellij.openapi.options.Configurable
import com.intellij.openapi.project.ProjectManager
import java.awt.BorderLayout
import java.awt.GridBagConstraints
import java.awt.GridBagLayout
import java.awt.Insets
import javax.swing.JComboBox
import javax.swing.JComponent
import javax.swing.JLabel
import javax.swing.JPanel
import javax.swing.JSpinner
import javax.swing.JTextField
import javax.swing.SpinnerNumberModel

/** Settings | Tools | pillion. Sidecars that run are started again with what is applied. */
class PillionConfigurable : Configurable {
    private val path = JTextField(40)
    private val profile = JComboBox(arrayOf("", "balanced", "denylist", "isolated", "readonly", "layered", "inspect"))
    private val mode = JComboBox(arrayOf("", "read-only", "workspace-write"))
    private val network = JComboBox(arrayOf("", "deny", "proxy"))
    private val timeout = JSpinner(SpinnerNumberModel(0, 0, 86_400, 10))
    private val trace = JComboBox(arrayOf("off", "messages", "verbose"))

    override fun getDisplayName(): String = "pillion"

    override fun createComponent(): JComponent {
        val form = JPanel(GridBagLayout())
        val rows = listOf("Path to pillion:" to path, "Profile:" to profile, "Sandbox:" to mode, "Network:" to network, "Timeout in seconds (0: pillion's own):" to timeout, "Trace in the log:" to trace)
        rows.forEachIndexed { row, (name, field) ->
            form.add(JLabel(name), GridBagConstraints().apply { gridy = row; anchor = GridBagConstraints.LINE_START; insets = Insets(3, 0, 3, 8) })
            form.add(field, GridBagConstraints().apply { gridy = row; gridx = 1; anchor = GridBagConstraints.LINE_START; weightx = 1.0 })
        }
        path.toolTipText = "Empty: the plugin's own, else the one on PATH"
        return JPanel(BorderLayout()).apply { add(form, BorderLayout.NORTH) }
    }

    override fun isModified(): Boolean = chosen() != PillionSettings.get().run { listOf(path, profile, mode, network, timeoutSeconds, trace) }

    private fun chosen() = listOf<Any?>(path.text.trim(), profile.selectedItem, mode.selectedItem, network.selectedItem, timeout.value, trace.selectedItem)

    override fun apply() {
        val settings = PillionSettings.get()
        settings.path = path.text.trim()
        settings.profile = profile.selectedItem as String
        settings.mode = mode.selectedItem as String
        settings.network = network.selectedItem as String
        settings.timeoutSeconds = timeout.value as Int
        settings.trace = trace.selectedItem as String
        for (project in ProjectManager.getInstance().openProjects) PillionService.of(project).client.let { if (it.process() != null) it.restart() }
    }

    override fun reset() {
        val settings = PillionSettings.get()
        path.text = settings.path
        profile.selectedItem = settings.profile
        mode.selectedItem = settings.mode
        network.selectedItem = settings.network
        timeout.value = settings.timeoutSeconds
        trace.selectedItem = settings.trace
    }
}
