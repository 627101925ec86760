// What a terminal would do with a command's output, as far as a text view can: text,
// colours, and the cursor within its line. Everything else is dropped, so that nothing a
// command prints can set a title, a clipboard or a link.
package dev.pillion.view

/** Where the text goes. */
interface Screen {
    fun text(text: String, style: Style)
    fun newline()
    fun column(column: Int)
    fun move(columns: Int)

    /** 0: from the cursor to the end of the line, 1: from its beginning to the cursor, 2: all of it. */
    fun erase(part: Int)

    /** A chunk is at its end: show it. */
    fun commit()
}

class Ansi(private val screen: Screen) {
    private enum class Mode { TEXT, ESCAPE, SKIP_ONE, SEQUENCE, STRING, STRING_ESCAPE }

    private var mode = Mode.TEXT
    private var style = Style()
    private val text = StringBuilder()
    private val sequence = StringBuilder()

    /** Sequences may be cut anywhere between two calls. */
    fun write(chunk: String) {
        for (char in chunk) next(char)
        flush()
        screen.commit()
    }

    private fun next(char: Char) {
        when (mode) {
            Mode.TEXT -> plain(char)
            Mode.ESCAPE -> escape(char)
            Mode.SKIP_ONE -> mode = Mode.TEXT
            Mode.SEQUENCE -> sequence(char)
            Mode.STRING -> if (char == '\u0007' || char == '\u009c') mode = Mode.TEXT else if (char == ESC) mode = Mode.STRING_ESCAPE
            Mode.STRING_ESCAPE -> mode = if (char == '\\') Mode.TEXT else Mode.STRING
        }
    }

    private fun plain(char: Char) {
        if (char == ' ' || char == '\t' || !char.isISOControl()) {
            text.append(char)
            return
        }
        flush()
        when (char) {
            ESC -> mode = Mode.ESCAPE
            '\u009b' -> begin()
            '\u0090', '\u0098', '\u009d', '\u009e', '\u009f' -> mode = Mode.STRING
            '\n' -> screen.newline()
            '\r' -> screen.column(0)
            '\b' -> screen.move(-1)
            else -> Unit
        }
    }

    private fun escape(char: Char) {
        when (char) {
            '[' -> begin()
            ']', 'P', 'X', '^', '_' -> mode = Mode.STRING
            in ' '..'/' -> mode = Mode.SKIP_ONE
            ESC -> Unit
            else -> mode = Mode.TEXT
        }
    }

    private fun begin() {
        sequence.clear()
        mode = Mode.SEQUENCE
    }

    private fun sequence(char: Char) {
        when (char) {
            ESC -> mode = Mode.ESCAPE
            in '@'..'~' -> { mode = Mode.TEXT; act(char) }
            // A sequence without an end must not take memory; what is over is not meant for us.
            else -> if (sequence.length < LONGEST) sequence.append(char)
        }
    }

    private fun act(final: Char) {
        if (sequence.any { it !in "0123456789;:" }) return // private ones, such as ?25l
        val numbers = sequence.split(';').map { it.substringBefore(':').toIntOrNull() ?: 0 }
        val first = numbers.first()
        when (final) {
            'm' -> style = if (':' in sequence) style.with(sequence.split(';', ':').map { it.toIntOrNull() ?: 0 }) else style.with(numbers)
            'K' -> screen.erase(first)
            'C' -> screen.move(maxOf(first, 1))
            'D' -> screen.move(-maxOf(first, 1))
            'G' -> screen.column(maxOf(first, 1) - 1)
            else -> Unit
        }
    }

    private fun flush() {
        if (text.isEmpty()) return
        screen.text(text.toString(), style)
        text.clear()
    }

    private companion object {
        const val ESC = '\u001b'
        const val LONGEST = 128
    }
}
