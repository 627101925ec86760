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
