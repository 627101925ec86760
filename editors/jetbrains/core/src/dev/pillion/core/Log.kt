package dev.pillion.core

import java.time.LocalTime
import java.time.temporal.ChronoUnit

/** The newest lines of what the sidecar and the client had to say, for "Show Log". */
class Log(private val limit: Int = 2000) {
    private val lines = ArrayDeque<String>()

    @Synchronized
    fun add(text: String) {
        lines.addLast("${LocalTime.now().truncatedTo(ChronoUnit.MILLIS)} $text")
        if (lines.size > limit) lines.removeFirst()
    }

    @Synchronized
    fun text(): String = lines.joinToString("\n")
}
