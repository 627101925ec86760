// Tools | pillion. Each of them is one line of the service or the runner.
package dev.pillion.idea

import com.intellij.notification.NotificationType
import com.intellij.openapi.actionSystem.ActionUpdateThread
import com.intellij.openapi.actionSystem.ActionUpdateThreadAware
import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.project.DumbAware
import com.intellij.openapi.project.Project
import com.intellij.openapi.ui.Messages
import dev.pillion.core.doctor

abstract class PillionAction : AnAction(), DumbAware, ActionUpdateThreadAware {
    abstract fun perform(project: Project, service: PillionService)

    open fun enabled(service: PillionService): Boolean = true

    // Asks no more than what is in memory.
    override fun getActionUpdateThread(): ActionUpdateThread = ActionUpdateThread.EDT

    override fun update(e: AnActionEvent) {
        e.presentation.isEnabled = e.project?.let { enabled(PillionService.of(it)) } ?: false
    }

    override fun actionPerformed(e: AnActionEvent) {
        val project = e.project ?: return
        perform(project, PillionService.of(project))
    }
}

class RunAction : PillionAction() {
    override fun perform(project: Project, service: PillionService) {
        val command = Messages.showInputDialog(project, "Command:", "Run with pillion", null) ?: return
        if (command.isBlank()) return
        showOutput(project)
        service.runner.run(command, project.basePath)?.let { RunTask(project, it).queue() }
    }
}

class RerunAction : PillionAction() {
    override fun enabled(service: PillionService) = service.runner.canRerun()

    override fun perform(project: Project, service: PillionService) {
        showOutput(project)
        service.runner.rerun()?.let { RunTask(project, it).queue() }
    }
}

class CancelAction : PillionAction() {
    override fun enabled(service: PillionService) = service.runner.running() != null

    override fun perform(project: Project, service: PillionService) = service.runner.stop()
}

class ShowOutputAction : PillionAction() {
    override fun perform(project: Project, service: PillionService) = showOutput(project)
}

class ShowLogAction : PillionAction() {
    override fun perform(project: Project, service: PillionService) {
        showOutput(project)
        service.panel.say(service.client.log.text())
    }
}

class RestartAction : PillionAction() {
    override fun perform(project: Project, service: PillionService) {
        service.client.restart().thenRun { tell(project, "pillion was started again.", NotificationType.INFORMATION) }
    }
}

class DoctorAction : PillionAction() {
    override fun perform(project: Project, service: PillionService) {
        showOutput(project)
        val panel = service.panel
        ApplicationManager.getApplication().executeOnPooledThread { panel.say(doctor(PillionSettings.get().core(), service.client.state)) }
    }
}
