// The frames of the Language Server Protocol: headers, an empty line, a body in UTF-8.
package dev.pillion.core

import java.io.BufferedInputStream
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.io.OutputStream

/** The stream is not what it should be, and can't be read on. */
class FrameException(message: String) : IOException(message)

/** The protocol's own limit, so that a wrong number in a header can't take the editor's memory. */
const val MAX_BODY: Int = 16 shl 20

private const val MAX_HEADER = 4096

class FrameReader(stream: InputStream) {
    private val input = BufferedInputStream(stream, 1 shl 16)

    /** The next body, or null at the end of the stream. */
    fun read(): ByteArray? {
        var length = -1
        while (true) {
            val line = line() ?: if (length < 0) return null else throw FrameException("pillion's output ended within a header")
            if (line.isEmpty()) break
            val (name, value) = line.split(':', limit = 2).takeIf { it.size == 2 } ?: throw FrameException("pillion sent a header without a colon: ${line.take(80)}")
            if (name.trim().equals("Content-Length", ignoreCase = true)) {
                length = value.trim().toIntOrNull() ?: throw FrameException("pillion sent a length that is no number: ${value.take(80)}")
            }
        }
        if (length !in 0..MAX_BODY) throw FrameException("pillion sent a frame of $length bytes; the limit is $MAX_BODY")
        val body = input.readNBytes(length)
        if (body.size < length) throw FrameException("pillion's output ended within a frame")
        return body
    }

    private fun line(): String? {
        val bytes = ByteArrayOutputStream()
        while (true) {
            val byte = input.read()
            if (byte < 0) return if (bytes.size() == 0) null else throw FrameException("pillion's output ended within a header")
            if (byte == '\n'.code) return bytes.toString(Charsets.US_ASCII).removeSuffix("\r")
            if (bytes.size() == MAX_HEADER) throw FrameException("pillion sent a header of more than $MAX_HEADER bytes; is it pillion?")
            bytes.write(byte)
        }
    }
}

/** Writes one frame whole. The caller sees to it that two are not written at once. */
fun writeFrame(output: OutputStream, body: ByteArray) {
    output.write("Content-Length: ${body.size}\r\n\r\n".toByteArray(Charsets.US_ASCII))
    output.write(body)
    output.flush()
}
