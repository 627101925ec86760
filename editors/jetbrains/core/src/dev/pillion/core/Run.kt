package dev.pillion.core

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonPrimitive
import java.util.Base64
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executor
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException
import pillion.AckParams
import pillion.CancelParams
import pillion.ExecResult
import pillion.ForwardParams
import pillion.ForwardResult
import pillion.GapEvent
import pillion.OutputEvent
import pillion.ProgressParamsValue
import pillion.ResizeParams
import pillion.RetryParams
import pillion.StartedEvent
import pillion.TerminalSize
import pillion.WriteParams

/** How much output may be taken care of before it is acknowledged; the window is four times that. */
private const val ACK_EVERY = 65_536L

/** One command, from the request to its outcome. It is sent once, whatever happens. */
class Run internal constructor(
    val id: String,
    private val params: JsonObject,
    private val listener: RunListener,
    threads: Executor,
    log: Log,
    private val again: RetryParams? = null,
) {
    private val events = Serial(threads) { log.add("what shows $id failed: ${it.stackTraceToString()}") }
    private var connection: Connection? = null
    private var withdrawn = false
    private var asked = 0
    private var consumed = 0L
    private var acknowledged = 0L

    /** Completes after the listener was called. */
    val outcome: CompletableFuture<Outcome> = CompletableFuture()

    /** Nothing of it runs any more. */
    @Volatile
    var over: Boolean = false
        private set

    /** The process exists. */
    val started: CompletableFuture<StartedEvent> = CompletableFuture()

    @Synchronized
    internal fun send(to: Connection) {
        if (over || withdrawn) return
        connection = to
        val request = again?.let { tree(it.copy(newExecId = id)).asJsonObject } ?: params.deepCopy().apply { addProperty("execId", id) }
        request.addProperty("partialResultToken", id)
        to.request(if (again == null) "exec" else "exec/retry", request).whenComplete { result, problem -> settle(conclude(result, problem)) }
    }

    private fun conclude(result: JsonElement?, problem: Throwable?): Outcome = when (problem) {
        null -> Outcome.Ended(result!!.to<ExecResult>())
        is RpcError -> Outcome.Refused(problem)
        else -> Outcome.Interrupted("Interrupted: pillion ended while this ran (${problem.message}). It was not run again; Rerun does that.")
    }

    internal fun settle(end: Outcome) = events.add {
        if (over) return@add
        over = true
        try {
            listener.ended(end)
        } finally { // those who wait must not wait for ever
            outcome.complete(end)
        }
    }

    internal fun progress(event: ProgressParamsValue) = events.add {
        when (event) {
            is StartedEvent -> { listener.started(event); started.complete(event) }
            is OutputEvent -> try { listener.output(event.stream, event.bytes()) } finally { acknowledge(event.length.toLong()) }
            is GapEvent -> listener.missing(event)
            else -> Unit
        }
    }

    internal fun told(tell: RunListener.() -> Unit) = events.add { if (!over) listener.tell() }

    private fun acknowledge(length: Long) {
        consumed += length
        if (consumed - acknowledged < ACK_EVERY) return
        acknowledged = consumed
        live()?.notify("exec/ack", tree(AckParams(id, consumed)))
    }

    /** The first time asks the command to end, the second time kills it. */
    @Synchronized
    fun cancel() {
        val to = connection
        if (to == null) {
            withdrawn = true // the listener is called later, and until then a sidecar may come
            return settle(Outcome.NotStarted("Cancelled before it started."))
        }
        to.request("exec/cancel", tree(CancelParams(id, force = if (asked++ > 0) true else null)))
    }

    fun write(text: String): CompletableFuture<JsonElement> = ask("exec/write", WriteParams(id, text = text))

    fun closeInput(): CompletableFuture<JsonElement> = ask("exec/write", WriteParams(id, close = true))

    /** Lets a port out to 127.0.0.1 for as long as it listens. The call is the person's yes. */
    fun forward(port: Int): CompletableFuture<ForwardResult> = ask("exec/forward", ForwardParams(id, port)).thenApply { it.to<ForwardResult>() }

    fun resize(rows: Int, columns: Int): CompletableFuture<JsonElement> = ask("exec/resize", ResizeParams(id, TerminalSize(rows, columns)))

    private fun ask(method: String, params: Any) = live()?.request(method, tree(params))
        ?: CompletableFuture.failedFuture(IllegalStateException("the command does not run yet"))

    @Synchronized
    private fun live() = connection

    override fun toString(): String = (params["command"] as? JsonPrimitive)?.asString ?: params.toString()
}

/** Returns when the run is over; cancels it on request, once. */
fun Run.follow(cancelled: () -> Boolean) {
    var asked = false
    while (true) {
        if (!asked && cancelled()) {
            asked = true
            cancel()
        }
        try {
            outcome.get(100, TimeUnit.MILLISECONDS)
            return
        } catch (_: TimeoutException) {
            // It runs on.
        }
    }
}

private fun OutputEvent.bytes(): ByteArray = text?.toByteArray() ?: Base64.getDecoder().decode(data ?: "")
