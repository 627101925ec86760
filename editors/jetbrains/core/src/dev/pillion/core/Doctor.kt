package dev.pillion.core

import java.io.IOException

/** What is chosen, what it says about itself and about this machine. Takes a few seconds; not for the EDT. */
fun doctor(settings: Settings, state: State): String = buildString {
    appendLine(state.words())
    try {
        val server = Locator(settings.path, settings.plugin, settings.environment).find()
        appendLine("program  $server")
        appendLine("version  ${versionOf(server, settings.environment)}; this plugin needs protocol ${settings.protocol}")
        append(report(server, settings.environment))
    } catch (e: ServerProblem) {
        append(e.message)
    }
}

private fun report(server: Located, environment: Map<String, String>): String = try {
    val process = ProcessBuilder(server.path.toString(), "doctor").redirectErrorStream(true).apply { environment().apply { clear(); putAll(environment) } }.start()
    process.outputStream.close()
    process.inputStream.bufferedReader().readText()
} catch (e: IOException) {
    "pillion doctor could not be started: ${e.message}"
}
