package dev.pillion.view

import javax.swing.text.StyleConstants
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

class AnsiTest {
    private val palette = Palette(dark = true)
    private val console = Console(palette)
    private val ansi = Ansi(console)

    private fun shown() = console.document.getText(0, console.document.length)

    private fun colourOf(text: String) = StyleConstants.getForeground(console.document.getCharacterElement(shown().indexOf(text)).attributes).rgb and 0xffffff

    private fun attributesOf(text: String) = console.document.getCharacterElement(shown().indexOf(text)).attributes

    @Test
    fun `colours are those of the palette, of the cube and of their own`() {
        ansi.write("\u001b[31mred\u001b[0m \u001b[92mbright\u001b[39m \u001b[38;5;208morange\u001b[m \u001b[38;2;1;2;3mtrue\u001b[0m plain")
        assertEquals(listOf(0xf0524f, 0x4fc414, 0xff8700, 0x010203, palette.foreground.rgb and 0xffffff), listOf("red", "bright", "orange", "true", "plain").map(::colourOf))
        assertEquals("red bright orange true plain", shown())
    }

    @Test
    fun `bold, italic, underlined, struck and inverse text is so`() {
        ansi.write("\u001b[1mB\u001b[22;3mI\u001b[23;4mU\u001b[24;9mS\u001b[29;7;34mV\u001b[0m")
        assertTrue(StyleConstants.isBold(attributesOf("B")) && !StyleConstants.isBold(attributesOf("I")))
        assertTrue(StyleConstants.isItalic(attributesOf("I")) && StyleConstants.isUnderline(attributesOf("U")) && StyleConstants.isStrikeThrough(attributesOf("S")))
        assertEquals(palette.colour(Colour.Indexed(4)), StyleConstants.getBackground(attributesOf("V")))
    }

    @Test
    fun `a sequence may be cut anywhere`() {
        for (char in "a\u001b[38;5;196mb\u001b]0;title\u001b\\c") ansi.write("$char")
        assertEquals("abc", shown())
        assertEquals(0xff0000, colourOf("b"))
    }

    @Test
    fun `titles, clipboards, links and questions to the terminal are dropped`() {
        ansi.write("a\u001b]52;c;cm0gLXJmIH4=\u0007b\u001b]0;evil\u001b\\c\u001b]8;;http://x\u001b\\d\u001b]8;;\u001b\\e\u001bP+q\u001b\\f\u001b[6ng\u001b[?25lh\u001b(Bi\u009d0;t\u009cj\u0007k\u0000l\u001b_x\u001b\\m\u001bcn")
        assertEquals("abcdefghijklmn", shown())
    }

    @Test
    fun `for a console that is no terminal only the text is kept`() {
        val stripped = Stripped()
        assertEquals("red and\r\nplain", stripped.strip("\u001b[31mred\u001b[0m and\r\n\u001b]52;c;eA==\u0007pl\u001b[") + stripped.strip("1main"))
    }

    @Test
    fun `a string that never ends swallows no memory and no newline shows it`() {
        ansi.write("a\u001b]52;" + "x".repeat(100_000))
        ansi.write("\u0007b\u001b[" + "1".repeat(100_000) + "mc")
        assertEquals("abc", shown())
    }

    @Test
    fun `a progress bar overwrites its line`() {
        ansi.write("10%\r20%\r\u001b[K100%\r\nnext\b\bXT\u001b[2K\rlast\u001b[4Dl\u001b[10G!\tt")
        assertEquals("100%\nlast     !      t", shown())
    }

    @Test
    fun `colour goes on over lines and chunks until it is taken back`() {
        ansi.write("\u001b[32mone\n")
        ansi.write("two\u001b[0m\nthree")
        assertEquals(palette.colour(Colour.Indexed(2)).rgb and 0xffffff, colourOf("two"))
        assertEquals(palette.foreground.rgb and 0xffffff, colourOf("three"))
    }

    @Test
    fun `the oldest lines go when there are too many`() {
        val small = Console(palette, limit = 1000)
        val into = Ansi(small)
        repeat(500) { into.write("line $it\n") }
        assertTrue(small.document.length <= 1000)
        assertTrue(small.document.getText(0, small.document.length).run { startsWith("line ") && endsWith("line 499\n") })
    }

    @Test
    fun `characters that are cut between two chunks are put together`() {
        val bytes = "naïve 😀 grüß".toByteArray()
        val utf8 = Utf8()
        assertEquals("naïve 😀 grüß", bytes.joinToString("") { utf8.decode(byteArrayOf(it)) })
        assertEquals("a\ufffdz", utf8.decode(byteArrayOf('a'.code.toByte(), -1, 'z'.code.toByte())))
    }
}
