package dev.pillion.view

/** A colour as the command named it; the palette knows what it looks like. */
sealed interface Colour {
    data class Indexed(val index: Int) : Colour

    data class Rgb(val value: Int) : Colour
}

data class Style(
    val foreground: Colour? = null,
    val background: Colour? = null,
    val bold: Boolean = false,
    val italic: Boolean = false,
    val underline: Boolean = false,
    val strike: Boolean = false,
    val inverse: Boolean = false,
) {
    /** This one, changed by the numbers of an SGR sequence. */
    fun with(numbers: List<Int>): Style {
        var now = this
        val rest = ArrayDeque(numbers)
        while (rest.isNotEmpty()) now = now.one(rest.removeFirst(), rest)
        return now
    }

    private fun one(number: Int, rest: ArrayDeque<Int>): Style = when (number) {
        0 -> Style()
        1 -> copy(bold = true)
        3 -> copy(italic = true)
        4 -> copy(underline = true)
        7 -> copy(inverse = true)
        9 -> copy(strike = true)
        22 -> copy(bold = false)
        23 -> copy(italic = false)
        24 -> copy(underline = false)
        27 -> copy(inverse = false)
        29 -> copy(strike = false)
        in 30..37 -> copy(foreground = Colour.Indexed(number - 30))
        38 -> copy(foreground = extended(rest) ?: foreground)
        39 -> copy(foreground = null)
        in 40..47 -> copy(background = Colour.Indexed(number - 40))
        48 -> copy(background = extended(rest) ?: background)
        49 -> copy(background = null)
        in 90..97 -> copy(foreground = Colour.Indexed(number - 90 + 8))
        in 100..107 -> copy(background = Colour.Indexed(number - 100 + 8))
        else -> this
    }

    private fun extended(rest: ArrayDeque<Int>): Colour? = when (rest.removeFirstOrNull()) {
        5 -> rest.removeFirstOrNull()?.takeIf { it in 0..255 }?.let { Colour.Indexed(it) }
        2 -> {
            val parts = List(3) { rest.removeFirstOrNull() ?: 0 }
            if (parts.all { it in 0..255 }) Colour.Rgb((parts[0] shl 16) or (parts[1] shl 8) or parts[2]) else null
        }
        else -> null
    }
}
