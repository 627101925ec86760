package dev.pillion.core

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import pillion.ApprovalParams
import pillion.LogMessageParams
import pillion.LogTraceParams
import pillion.PortParams
import pillion.ProgressParams
import pillion.ShowMessageParams
import pillion.WaitingParams

/** What a session needs of its client. */
internal interface Owner {
    val approver: Approver
    val log: Log
    fun message(type: Int, text: String)
    fun lost(session: Session)
    fun ended(session: Session, why: String)
}

/** One process of pillion and the conversation with it. */
internal class Session(val server: Located, settings: Settings, private val owner: Owner) : Peer {
    private val log = owner.log
    val runs = ConcurrentHashMap<String, Run>()
    val process: Process = start(server, settings)
    val connection = Connection(process.inputStream, process.outputStream, this)

    init {
        thread(isDaemon = true, name = "pillion log") { drain() }
        connection.start()
    }

    fun exec(run: Run) {
        runs[run.id] = run
        run.outcome.thenRun { runs.remove(run.id) }
        run.send(connection)
    }

    override fun notified(method: String, params: JsonElement): Unit = try {
        when (method) {
            "$/progress" -> progress(params)
            "exec/waiting" -> params.to<WaitingParams>().let { runs[it.execId]?.told { waits(it) } ?: Unit }
            "exec/port" -> params.to<PortParams>().let { runs[it.execId]?.told { port(it) } ?: Unit }
            "window/logMessage" -> log.add(params.to<LogMessageParams>().message)
            "window/showMessage" -> params.to<ShowMessageParams>().let { owner.message(it.type, it.message) }
            "$/logTrace" -> params.to<LogTraceParams>().let { log.add(listOfNotNull(it.message, it.verbose).joinToString("\n")) }
            else -> Unit
        }
    } catch (e: RuntimeException) { // one strange notification does not end the session
        log.add("$method was not understood: $e")
    }

    private fun progress(params: JsonElement) {
        val token = (params as JsonObject)["token"].asString
        val event: pillion.ProgressParamsValue? = params.to<ProgressParams>().value
        if (event != null) runs[token]?.progress(event)
    }

    override fun requested(method: String, params: JsonElement, withdrawn: CompletableFuture<Unit>): CompletableFuture<JsonElement>? =
        if (method == "exec/requestApproval") owner.approver.put(params.to<ApprovalParams>(), withdrawn).thenApply(::tree) else null

    override fun lost() = owner.lost(this)

    override fun closed(why: String) {
        val ended = process.waitFor(2, TimeUnit.SECONDS)
        if (!ended) process.destroyForcibly() // one that can't be understood is useless
        owner.ended(this, if (ended) "it ended with code ${process.exitValue()}" else why)
    }

    /** Asks it to end everything, and sees to it that it does. Doesn't wait. */
    fun close() {
        connection.request("shutdown", null).whenComplete { _, _ ->
            connection.notify("exit", null)
            connection.close()
        }
        thread(isDaemon = true, name = "pillion end") {
            if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly()
        }
    }

    private fun drain() = try {
        process.errorStream.bufferedReader().forEachLine(log::add)
    } catch (_: IOException) {
        // It was killed.
    }
}

private fun start(server: Located, settings: Settings): Process = try {
    ProcessBuilder(server.path.toString(), "serve", "--stdio").apply { environment().apply { clear(); putAll(settings.environment) } }.start()
} catch (e: IOException) {
    throw ServerProblem("$server could not be started (${e.message}); choose another program in $SETTING.")
}
