package dev.pillion.idea

import com.intellij.openapi.project.DumbAware
import com.intellij.openapi.project.Project
import com.intellij.openapi.wm.ToolWindow
import com.intellij.openapi.wm.ToolWindowFactory
import com.intellij.openapi.wm.ToolWindowManager
import com.intellij.ui.content.ContentFactory

const val TOOL_WINDOW: String = "pillion"

/** The panel of the core, in a window of the IDE. */
class PillionToolWindow : ToolWindowFactory, DumbAware {
    override fun createToolWindowContent(project: Project, toolWindow: ToolWindow) {
        val service = PillionService.of(project)
        service.runner // the buttons of the panel need it
        toolWindow.contentManager.addContent(ContentFactory.getInstance().createContent(service.panel, "", false))
        service.panel.show(service.client.state)
    }
}

fun showOutput(project: Project) {
    ToolWindowManager.getInstance(project).getToolWindow(TOOL_WINDOW)?.activate(null)
}
