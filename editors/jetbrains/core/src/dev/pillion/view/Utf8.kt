package dev.pillion.view

import java.nio.ByteBuffer
import java.nio.CharBuffer
import java.nio.charset.CodingErrorAction

/** Text of bytes that come in pieces, cut anywhere. */
class Utf8 {
    private val decoder = Charsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPLACE).onUnmappableCharacter(CodingErrorAction.REPLACE)
    private var rest = ByteArray(0)

    fun decode(bytes: ByteArray): String {
        val input = ByteBuffer.wrap(rest + bytes)
        val output = CharBuffer.allocate(input.remaining())
        decoder.decode(input, output, false)
        rest = ByteArray(input.remaining()).also(input::get)
        return output.flip().toString()
    }
}

/** For consoles that know no terminal: the text without what was meant for one. */
class Stripped : Screen {
    private val ansi = Ansi(this)
    private val kept = StringBuilder()

    fun strip(chunk: String): String {
        kept.clear()
        ansi.write(chunk)
        return kept.toString()
    }

    override fun text(text: String, style: Style) {
        kept.append(text)
    }

    override fun newline() {
        kept.append('\n')
    }

    override fun column(column: Int) {
        if (column == 0) kept.append('\r')
    }

    override fun move(columns: Int) = Unit
    override fun erase(part: Int) = Unit
    override fun commit() = Unit
}
