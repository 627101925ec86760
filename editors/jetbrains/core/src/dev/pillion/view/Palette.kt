package dev.pillion.view

import java.awt.Color
import java.awt.Font
import javax.swing.UIManager
import javax.swing.text.AttributeSet
import javax.swing.text.SimpleAttributeSet
import javax.swing.text.StyleConstants
import pillion.Tone

/** What the names of colours look like on a dark or a light ground. */
class Palette(val dark: Boolean) {
    val background: Color = Color(if (dark) 0x1e1f22 else 0xffffff)
    val foreground: Color = Color(if (dark) 0xbcbec4 else 0x080808)
    val faint: Color = Color(if (dark) 0x868a91 else 0x6c707e)
    val error: Color = Color(if (dark) 0xf75464 else 0xc7222d)
    val warning: Color = Color(if (dark) 0xd6ae58 else 0x826a00)
    val good: Color = Color(if (dark) 0x5fad65 else 0x208a3c)
    val font: Font = Font(Font.MONOSPACED, Font.PLAIN, 13)

    private val basic = if (dark) DARK else LIGHT

    fun colour(colour: Colour): Color = when (colour) {
        is Colour.Rgb -> Color(colour.value)
        is Colour.Indexed -> when (val index = colour.index) {
            in 0..15 -> Color(basic[index])
            in 16..231 -> (index - 16).let { Color(step(it / 36), step(it / 6 % 6), step(it % 6)) }
            else -> (8 + 10 * (index - 232)).let { Color(it, it, it) }
        }
    }

    fun attributes(style: Style): AttributeSet = SimpleAttributeSet().apply {
        val front = style.foreground?.let(::colour) ?: foreground
        val back = style.background?.let(::colour)
        StyleConstants.setForeground(this, if (style.inverse) back ?: background else front)
        if (style.inverse) StyleConstants.setBackground(this, front) else if (back != null) StyleConstants.setBackground(this, back)
        StyleConstants.setBold(this, style.bold)
        StyleConstants.setItalic(this, style.italic)
        StyleConstants.setUnderline(this, style.underline)
        StyleConstants.setStrikeThrough(this, style.strike)
    }

    fun attributes(tone: Tone): AttributeSet = SimpleAttributeSet().apply {
        val front = when (tone) {
            Tone.TITLE, Tone.COMMAND, Tone.REASON, Tone.RULE, Tone.OTHER -> foreground
            Tone.DIM -> faint
            Tone.ERROR, Tone.PLACE -> error
            Tone.WARN -> warning
            Tone.OK, Tone.REMEDY -> good
        }
        StyleConstants.setForeground(this, front)
        StyleConstants.setBold(this, tone == Tone.TITLE || tone == Tone.ERROR)
        StyleConstants.setUnderline(this, tone == Tone.PLACE)
    }

    companion object {
        /** Fits the look of the program around it. */
        fun ofLook(): Palette = Palette((UIManager.getColor("Panel.background") ?: Color.WHITE).let { it.red + it.green + it.blue < 3 * 128 })

        private fun step(level: Int) = if (level == 0) 0 else 55 + 40 * level

        private val DARK = intArrayOf(
            0x4e5157, 0xf0524f, 0x5c962c, 0xa68a0d, 0x3993d4, 0xa771bf, 0x00a3a3, 0xb8bcc4,
            0x6f737a, 0xff4050, 0x4fc414, 0xe5bf00, 0x1fb0ff, 0xed7eed, 0x00e5e5, 0xffffff,
        )
        private val LIGHT = intArrayOf(
            0x000000, 0xcd0000, 0x067d17, 0x8a6a00, 0x0b4fc4, 0x871094, 0x00727f, 0x6c707e,
            0x5a5d6b, 0xe5344a, 0x1c8a34, 0xa46704, 0x3574f0, 0xb050c8, 0x00869a, 0x080808,
        )
    }
}
