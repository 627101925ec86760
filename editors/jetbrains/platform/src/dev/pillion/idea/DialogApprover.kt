package dev.pillion.idea

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.ModalityState
import com.intellij.openapi.project.Project
import com.intellij.openapi.ui.DialogWrapper
import dev.pillion.core.Approver
import dev.pillion.core.Question
import dev.pillion.view.ApprovalPanel
import java.awt.Dimension
import javax.swing.Action
import javax.swing.JComponent

/** Asks in a dialog, when no other one is open. Whatever takes too long is declined by pillion. */
class DialogApprover(private val project: Project) : Approver {
    override fun ask(question: Question) = ApplicationManager.getApplication().invokeLater({
        if (project.isDisposed) question.decline() else ApprovalDialog(project, question).show()
    }, ModalityState.NON_MODAL)
}

/** The panel has its own buttons; closing the window in any other way declines. */
private class ApprovalDialog(project: Project, question: Question) : DialogWrapper(project) {
    private val panel = ApprovalPanel(question, { close(OK_EXIT_CODE) })

    init {
        title = "pillion"
        panel.preferredSize = Dimension(720, 380)
        init()
    }

    override fun createCenterPanel(): JComponent = panel

    override fun createActions(): Array<Action> = emptyArray()

    override fun getPreferredFocusedComponent(): JComponent = panel.firstFocus

    override fun dispose() {
        panel.closed()
        super.dispose()
    }
}
