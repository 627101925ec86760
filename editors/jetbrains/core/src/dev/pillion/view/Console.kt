package dev.pillion.view

import javax.swing.text.AttributeSet
import javax.swing.text.DefaultStyledDocument
import pillion.DisplayLine

/**
 * A terminal that only knows its last line: what is above stays, as in a log. Lines are
 * gathered until [commit], for a document takes longer over many small insertions than over
 * a large one. For the EDT.
 */
class Console(private val palette: Palette, private val limit: Int = 400_000) : Screen {
    val document: DefaultStyledDocument = DefaultStyledDocument()

    // The last line: its characters, and how each of them looks.
    private val line = StringBuilder()
    private val looks = ArrayList<AttributeSet>()
    private var column = 0

    // The text that goes into the document, in place of what it has of the last line.
    private val pending = ArrayList<Pair<StringBuilder, AttributeSet>>()
    private var start = 0
    private val styles = HashMap<Style, AttributeSet>()
    private val plain = look(Style())

    override fun text(text: String, style: Style) {
        val look = look(style)
        for (char in text) {
            if (char == '\t') repeat(8 - column % 8) { put(' ', look) } else put(char, look)
        }
    }

    override fun newline() {
        keepLine()
        append('\n', pending.lastOrNull()?.second ?: plain)
        clear()
    }

    override fun column(column: Int) {
        this.column = column.coerceIn(0, WIDEST)
    }

    override fun move(columns: Int) = column(column + columns)

    override fun erase(part: Int) {
        when (part) {
            0 -> cut(minOf(column, line.length))
            1 -> for (index in 0 until minOf(column, line.length)) { line[index] = ' '; looks[index] = plain }
            2 -> cut(0)
        }
    }

    override fun commit() {
        keepLine()
        document.remove(start, document.length - start)
        for ((text, look) in pending) document.insertString(document.length, text.toString(), look)
        pending.clear()
        start = document.length - line.length
        trim()
    }

    /** Something of our own, which begins on a line of its own. */
    fun say(lines: List<DisplayLine>) {
        if (line.isNotEmpty()) newline()
        for (shown in lines) {
            for (piece in shown.pieces()) palette.attributes(piece.tone).let { look -> piece.text.forEach { append(it, look) } }
            append('\n', plain)
        }
        commit()
    }

    private fun look(style: Style) = styles.getOrPut(style) { palette.attributes(style) }

    private fun put(char: Char, look: AttributeSet) {
        if (column >= WIDEST) newline()
        while (line.length < column) { line.append(' '); looks.add(plain) }
        if (column < line.length) { line[column] = char; looks[column] = look } else { line.append(char); looks.add(look) }
        column++
    }

    private fun keepLine() = line.forEachIndexed { index, char -> append(char, looks[index]) }

    private fun append(char: Char, look: AttributeSet) {
        if (pending.lastOrNull()?.second !== look) pending.add(StringBuilder() to look)
        pending.last().first.append(char)
    }

    private fun cut(length: Int) {
        line.setLength(length)
        while (looks.size > length) looks.removeAt(looks.size - 1)
    }

    private fun clear() {
        cut(0)
        column = 0
    }

    // A view that keeps everything would end up with all of the editor's memory; pillion
    // keeps the rest.
    private fun trim() {
        if (document.length <= limit) return
        val text = document.getText(0, document.length)
        val end = text.indexOf('\n', text.length - limit / 2) + 1
        if (end in 1..start) { document.remove(0, end); start -= end }
    }

    private companion object {
        const val WIDEST = 10_000
    }
}
