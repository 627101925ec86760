package dev.pillion.view

import dev.pillion.core.Decision
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
import pillion.ApprovalParams
import pillion.ApprovalSubject

/** A question of pillion's: what would run, where, why it is asked about, and what to do instead. */
class ApprovalPanel(private val question: Question, private val done: () -> Unit, palette: Palette = Palette.ofLook()) : JPanel(BorderLayout(8, 8)) {
    private val document = DefaultStyledDocument()

    val accept: JButton = button("Accept", Decision.ACCEPT) { question.accept() }
    val session: JButton = button("Accept for session", Decision.SESSION) { question.acceptForSession() }
    val decline: JButton = plainButton("Decline") { answer { question.decline() } }
    val edit: JButton = plainButton("Edit") { startEditing() }
    val editor: JTextArea = JTextArea(question.params.subject.command ?: "", 3, 60)

    init {
        for (line in question(question.params)) {
            for (piece in line) document.insertString(document.length, piece.text, palette.attributes(piece.tone))
            document.insertString(document.length, "\n", null)
        }
        editor.font = palette.font
        editor.isVisible = false
        edit.isVisible = question.offers(Decision.EDIT) && question.params.subject.command != null
        val buttons = JPanel(FlowLayout(FlowLayout.TRAILING, 6, 4))
        for (part in listOf(accept, session, edit, decline)) buttons.add(part)
        val south = JPanel(BorderLayout(6, 6))
        south.add(editor, BorderLayout.CENTER)
        south.add(buttons, BorderLayout.SOUTH)
        add(JScrollPane(textView(document, palette)), BorderLayout.CENTER)
        add(south, BorderLayout.SOUTH)
        question.whenWithdrawn { SwingUtilities.invokeLater(done) }
    }

    /** Return and Space must not accept what nobody has read. */
    val firstFocus: JComponent get() = decline

    fun text(): String = document.getText(0, document.length)

    /** The window was closed: no answer is a decline. */
    fun closed() = question.decline()

    private fun button(text: String, decision: String, reply: () -> Unit) =
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
        revalidate()
        editor.requestFocusInWindow()
    }
}

private fun question(params: ApprovalParams): List<Line> {
    val subject = params.subject
    val texts = subject.command?.let { listOf(it) } ?: subject.commands ?: subject.argv ?: emptyList()
    val host = subject.host?.let { listOf(label("host", it)) }.orEmpty()
    return listOf(listOf(Piece(visible(params.title), Tone.STRONG)), emptyList()) +
        whole(subject, texts, params) + host + listOf(
            label("in", subject.cwd),
            label("sandbox", subject.sandbox.text),
        ) + extras(subject) + listOf(emptyList<Piece>()) + params.findings.firstOrNull()?.let { listOf(listOf(Piece(visible(it.message), Tone.ERROR))) }.orEmpty() +
        findings(params.findings, emptyList())
}

// The exact text, with all that the findings are about.
private fun whole(subject: ApprovalSubject, texts: List<String>, params: ApprovalParams): List<Line> = texts.mapIndexed { index, text ->
    marked(text, params.findings.filter { it.source.field != "env" && (it.source.index ?: 0) == index }.map { it.span })
} + if (subject.commands != null && subject.ignoreErrors == true) listOf(label("each", "also behind one that fails")) else emptyList()

private fun extras(subject: ApprovalSubject): List<Line> = listOfNotNull(
    subject.env?.takeIf { it.isNotEmpty() }?.let { label("sets", it.joinToString(" ")) },
    subject.stdin?.let { label("input", "$it bytes that nobody has read") },
    subject.stdinOpen?.takeIf { it }?.let { label("input", "more of it may come while it runs") },
)
