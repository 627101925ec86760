// What is said about a run, as lines of text with a tone. It is shown as text: nothing in it
// is HTML or an escape sequence, wherever it came from.
package dev.pillion.view

import dev.pillion.core.Outcome
import dev.pillion.core.RpcError
import java.nio.charset.StandardCharsets.UTF_8
import pillion.ExecResult
import pillion.Finding
import pillion.Span

enum class Tone { PLAIN, STRONG, FAINT, ERROR, MARK, GOOD }

data class Piece(val text: String, val tone: Tone = Tone.PLAIN)

typealias Line = List<Piece>

private fun line(text: String, tone: Tone = Tone.PLAIN): Line = listOf(Piece(visible(text), tone))

fun report(outcome: Outcome, command: List<String>): List<Line> = when (outcome) {
    is Outcome.Ended -> ended(outcome.result)
    is Outcome.Refused -> refused(outcome.error, command)
    is Outcome.Interrupted -> listOf(line(outcome.why, Tone.ERROR))
    is Outcome.NotStarted -> listOf(line(outcome.why, Tone.ERROR))
}

private fun toned(tone: pillion.Tone): Tone = when (tone) { "ok" -> Tone.GOOD; "error", "warn" -> Tone.ERROR; else -> Tone.FAINT }

/** In the sidecar's words. */
private fun ended(result: ExecResult): List<Line> = result.display.map {
    it.spans.orEmpty().map { span -> Piece(visible(span.text), toned(span.tone)) }.ifEmpty { line(it.text, toned(it.tone)) }
}

private fun refused(error: RpcError, command: List<String>): List<Line> {
    val findings = error.verdict?.findings.orEmpty()
    // The message of a denial is that of its first finding, with the word in front.
    return listOf(line(error.message.replaceFirstChar(Char::uppercase), Tone.ERROR)) +
        (if (error.kind == "guardDenied") findings(findings, command) else emptyList()) +
        listOf(line("Nothing was run.", Tone.FAINT))
}

/** Each finding with the text it is about, and what is meant underlined. */
fun findings(findings: List<Finding>, command: List<String>): List<Line> = findings.flatMapIndexed { index, finding ->
    val source = command.getOrNull(finding.source.index ?: 0).takeIf { finding.source.field != "env" }
    val head = if (index == 0) emptyList() else listOf(line("and ${finding.message}", Tone.ERROR))
    head + listOfNotNull(source?.let { marked(it, listOf(finding.span)) }) + details(finding)
}

private fun details(finding: Finding): List<Line> = listOfNotNull(
    finding.explanation?.let { label("why", it) },
    finding.via?.takeIf { it.isNotEmpty() }?.let { via -> label("via", via.joinToString(" → ") { it.construct }) },
    finding.suggestion?.let { label("instead", it.command ?: it.title) },
    label("rule", finding.ruleId),
)

/** On one line: what a directory is called must not go on where another label could stand. */
fun label(name: String, text: String): Line = listOf(Piece("  ${name.padEnd(9)}", Tone.FAINT), Piece(visible(text).replace("\n", "\\n")))

/** The text with its spans, which count UTF-8 bytes, in another tone. Long texts of several lines stay so. */
fun marked(text: String, spans: List<Span>): Line {
    val pieces = mutableListOf(Piece("    "))
    var offset = 0
    for (point in text.codePoints().toArray()) {
        val char = String(Character.toChars(point))
        val tone = if (spans.any { offset in it.start until it.end }) Tone.MARK else Tone.PLAIN
        offset += char.toByteArray(UTF_8).size
        val shown = if (point == '\n'.code) "\n    " else visible(char)
        val last = pieces.last()
        if (last.tone == tone) pieces[pieces.size - 1] = Piece(last.text + shown, tone) else pieces.add(Piece(shown, tone))
    }
    return pieces
}

/** Characters that can't be seen, or that turn others round, are spelled out. */
fun visible(text: String): String = buildString {
    for (point in text.codePoints()) {
        val hidden = point != '\n'.code && point != '\t'.code && Character.getType(point).toByte() in HIDDEN
        if (hidden) append(String.format("\\u{%04x}", point)) else appendCodePoint(point)
    }
}

private val HIDDEN = setOf(Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE)
