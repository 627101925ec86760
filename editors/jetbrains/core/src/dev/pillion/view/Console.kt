package dev.pillion.view

import javax.swing.text.AttributeSet
import javax.swing.text.DefaultStyledDocument

/** A terminal that only knows its last line: what is above stays, as in a log. For the EDT. */
class Console(private val palette: Palette, private val limit: Int = 1_000_000) : Screen {
    val document: DefaultStyledDocument = DefaultStyledDocument()
    private var line = 0
    private var column = 0

    override fun text(text: String, style: Style) {
        val attributes = palette.attributes(style)
        text.split('\t').forEachIndexed { index, part ->
            if (index > 0) put(" ".repeat(8 - column % 8), attributes)
            if (part.isNotEmpty()) put(part, attributes)
        }
    }

    override fun newline() {
        append("\n", palette.attributes(Style()))
    }

    override fun column(column: Int) {
        this.column = column.coerceIn(0, WIDEST)
    }

    override fun move(columns: Int) = column(column + columns)

    override fun erase(part: Int) {
        val length = document.length - line
        when (part) {
            0 -> if (column < length) document.remove(line + column, length - column)
            1 -> minOf(column, length).let { document.remove(line, it); document.insertString(line, " ".repeat(it), null) }
            2 -> document.remove(line, length)
        }
    }

    /** Something of our own, which begins on a line of its own. */
    fun say(lines: List<Line>) {
        if (document.length > line) newline()
        for (pieces in lines) {
            for (piece in pieces) append(piece.text, palette.attributes(piece.tone))
            newline()
        }
    }

    private fun put(text: String, attributes: AttributeSet) {
        if (column >= WIDEST) newline()
        val length = document.length - line
        if (column > length) document.insertString(document.length, " ".repeat(column - length), palette.attributes(Style()))
        val at = line + column
        document.remove(at, minOf(text.length, document.length - at))
        document.insertString(at, text, attributes)
        column += text.length
    }

    private fun append(text: String, attributes: AttributeSet) {
        document.insertString(document.length, text, attributes)
        trim()
        line = document.length
        column = 0
    }

    // A view that keeps everything would end up with all of the editor's memory; pillion keeps the rest.
    private fun trim() {
        if (document.length <= limit) return
        val cut = document.length - limit / 2
        val text = document.getText(0, document.length)
        document.remove(0, text.indexOf('\n', cut) + 1)
    }

    private companion object {
        const val WIDEST = 10_000
    }
}
