// The lines about a run, in the sidecar's words. It is shown as text: nothing in it is
// HTML or an escape sequence, wherever it came from.
package dev.pillion.view

import dev.pillion.core.Outcome
import pillion.DisplayLine
import pillion.DisplaySpan
import pillion.Tone

fun report(outcome: Outcome): List<DisplayLine> = when (outcome) {
    is Outcome.Ended -> outcome.result.display
    is Outcome.Refused -> (outcome.error.display ?: listOf(said(outcome.error.message, Tone.ERROR))) + said("Nothing was run.", Tone.DIM)
    is Outcome.Interrupted -> listOf(said(outcome.why, Tone.ERROR))
    is Outcome.NotStarted -> listOf(said(outcome.why, Tone.ERROR))
}

/** A line of the plugin's own. */
fun said(text: String, tone: Tone): DisplayLine = DisplayLine(visible(text), tone)

fun DisplayLine.pieces(): List<DisplaySpan> = spans ?: listOf(DisplaySpan(text, tone))

/** Characters that can't be seen, or that turn others round, are spelled out. */
fun visible(text: String): String = buildString {
    for (point in text.codePoints()) {
        val hidden = point != '\n'.code && point != '\t'.code && Character.getType(point).toByte() in HIDDEN
        if (hidden) append(String.format("\\u{%04x}", point)) else appendCodePoint(point)
    }
}

private val HIDDEN = setOf(Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE)
