package dev.pillion.core

import java.io.ByteArrayOutputStream
import java.io.InputStream
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test

class FramesTest {
    /** Gives one byte at a time, as a pipe may. */
    private fun slowly(bytes: ByteArray) = object : InputStream() {
        private val inner = bytes.inputStream()
        override fun read() = inner.read()
        override fun read(b: ByteArray, off: Int, len: Int) = inner.read(b, off, minOf(len, 1))
    }

    private fun problem(text: String) = assertThrows(FrameException::class.java) { FrameReader(text.byteInputStream()).read() }.message!!

    @Test
    fun `what is written is read, however it is cut`() {
        val output = ByteArrayOutputStream()
        for (text in listOf("{}", "\"grüß 😀\"", "")) writeFrame(output, text.toByteArray())
        val reader = FrameReader(slowly(output.toByteArray()))
        assertEquals(listOf("{}", "\"grüß 😀\"", ""), List(3) { String(reader.read()!!) })
        assertNull(reader.read())
    }

    @Test
    fun `other headers are passed over`() {
        assertEquals("{}", String(FrameReader("Content-Type: x\r\ncontent-length: 2\r\n\r\n{}".byteInputStream()).read()!!))
    }

    @Test
    fun `a frame that is too long is not read`() {
        assertTrue(problem("Content-Length: 99999999\r\n\r\n").startsWith("pillion sent a frame of 99999999 bytes"))
    }

    @Test
    fun `what is no frame is told in a sentence`() {
        assertTrue(problem("Segmentation fault\n").startsWith("pillion sent a header without a colon"))
        assertTrue(problem("x".repeat(5000)).startsWith("pillion sent a header of more than"))
        assertTrue(problem("Content-Length: two\r\n\r\n").startsWith("pillion sent a length that is no number"))
        assertTrue(problem("Content-Length: 5\r\n\r\n{}").startsWith("pillion's output ended within a frame"))
        assertTrue(problem("Content-Length: -5\r\n\r\n").startsWith("pillion sent a frame of -5 bytes"))
    }
}
