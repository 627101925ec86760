package dev.pillion.view

import dev.pillion.core.Question
import java.awt.BorderLayout
import java.awt.FlowLayout
import javax.swing.JButton
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.JScrollPane
import javax.swing.JTextArea
import javax.swing.SwingUtilities
import javax.swing.text.DefaultStyledDocument
import pillion.Choice

/** A question of pillion's: what would run, where, why it is asked about, and what to do instead. */
class ApprovalPanel(private val question: Question, private val done: () -> Unit, palette: Palette = Palette.ofLook()) : JPanel(BorderLayout(8, 8)) {
    private val document = DefaultStyledDocument()

    val accept: JButton = button("Accept", Choice.ACCEPT) { question.accept() }
    val session: JButton = button("Accept for session", Choice.ACCEPT_FOR_SESSION) { question.acceptForSession() }
    val always: JButton = button("Always", Choice.ACCEPT_ALWAYS) { question.acceptAlways() }
    val decline: JButton = plainButton("Decline") { answer { question.decline() } }
    val edit: JButton = plainButton("Edit") { startEditing() }
    val editor: JTextArea = JTextArea(question.params.subject.command ?: "", 3, 60)

    init {
        for (line in question.params.display) {
            for (piece in line.pieces()) document.insertString(document.length, piece.text, palette.attributes(piece.tone))
            document.insertString(document.length, "\n", null)
        }
        editor.font = palette.font
        editor.isVisible = false
        edit.isVisible = question.offers(Choice.EDIT) && question.params.subject.command != null
        val buttons = JPanel(FlowLayout(FlowLayout.TRAILING, 6, 4))
        for (part in listOf(accept, session, always, edit, decline)) buttons.add(part)
        val south = JPanel(BorderLayout(6, 6))
        south.add(editor, BorderLayout.CENTER)
        south.add(buttons, BorderLayout.SOUTH)
        add(JScrollPane(textView(document, palette)), BorderLayout.CENTER)
        add(south, BorderLayout.SOUTH)
        question.whenWithdrawn { SwingUtilities.invokeLater(done) }
    }

    /** Return and Space must not accept an unread question. */
    val firstFocus: JComponent get() = decline

    fun text(): String = document.getText(0, document.length)

    /** The window was closed: no answer is a decline. */
    fun closed() = question.decline()

    private fun button(text: String, decision: Choice, reply: () -> Unit) =
        plainButton(text) { answer(reply) }.apply { isVisible = question.offers(decision) }

    private fun answer(reply: () -> Unit) {
        reply()
        done()
    }

    private fun startEditing() {
        if (editor.isVisible) return answer { question.edit(editor.text) }
        editor.isVisible = true
        edit.text = "Run edited"
        accept.isVisible = false
        session.isVisible = false
        always.isVisible = false
        revalidate()
        editor.requestFocusInWindow()
    }
}
