package dev.pillion.core

import com.google.gson.JsonElement
import com.google.gson.JsonNull
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import com.google.gson.JsonPrimitive
import java.io.IOException
import java.io.InputStream
import java.io.OutputStream
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicLong
import kotlin.concurrent.thread

/** Answers what the server sends. All of it is called on the reading thread, in the order in which it came. */
interface Peer {
    fun notified(method: String, params: JsonElement)

    /** The answer, later; null: there is no such method. [withdrawn] completes when none is needed any more. */
    fun requested(method: String, params: JsonElement, withdrawn: CompletableFuture<Unit>): CompletableFuture<JsonElement>?

    /** Nothing more comes. Those who wait for an answer hear of it next. */
    fun lost()

    /** They have heard of it. */
    fun closed(why: String)
}

/** JSON-RPC over two streams. Nothing here waits for the other side but its own two threads. */
class Connection(private val input: InputStream, private val output: OutputStream, private val peer: Peer) {
    private val ids = AtomicLong()
    private val pending = ConcurrentHashMap<Long, CompletableFuture<JsonElement>>()
    private val questions = ConcurrentHashMap<JsonElement, CompletableFuture<Unit>>()
    private val outbox = LinkedBlockingQueue<JsonObject>()
    private val closed = AtomicBoolean()
    private val end = JsonObject()

    fun start() {
        thread(isDaemon = true, name = "pillion writer") { write() }
        thread(isDaemon = true, name = "pillion reader") { read() }
    }

    fun request(method: String, params: JsonElement?): CompletableFuture<JsonElement> {
        val id = ids.incrementAndGet()
        val answer = CompletableFuture<JsonElement>()
        pending[id] = answer
        outbox.add(envelope("id" to JsonPrimitive(id), "method" to JsonPrimitive(method), "params" to params))
        // It may have closed between the two: then this one has to be settled here.
        if (closed.get()) pending.remove(id)?.completeExceptionally(ConnectionClosed("pillion is gone"))
        return answer
    }

    fun notify(method: String, params: JsonElement?) {
        outbox.add(envelope("method" to JsonPrimitive(method), "params" to params))
    }

    /** The server sees the end of its input, which ends it with everything it started. */
    fun close() {
        outbox.add(end)
    }

    private fun envelope(vararg pairs: Pair<String, JsonElement?>) = members("jsonrpc" to JsonPrimitive("2.0"), *pairs)

    private fun write() {
        try {
            while (true) {
                val message = outbox.take()
                if (message === end) break
                writeFrame(output, trees.toJson(message).toByteArray())
            }
            output.close()
        } catch (_: IOException) {
            // The reader sees the end, too, and knows more about it.
        }
    }

    private fun read() {
        val frames = FrameReader(input)
        val why = try {
            while (true) dispatch(JsonParser.parseString((frames.read() ?: break).toString(Charsets.UTF_8)))
            "pillion ended"
        } catch (e: Exception) {
            e.message ?: e.toString()
        }
        closed.set(true)
        peer.lost()
        close()
        for (id in pending.keys) pending.remove(id)?.completeExceptionally(ConnectionClosed(why))
        for (question in questions.values) question.complete(Unit)
        peer.closed(why)
    }

    private fun dispatch(message: JsonElement) {
        val members = message as? JsonObject ?: throw FrameException("pillion sent something that is not a message")
        val method = members["method"]?.asString
        val id = members["id"]
        val params = members["params"] ?: JsonNull.INSTANCE
        when {
            method == null -> settle(members)
            id != null -> answer(id, method, params)
            method == "$/cancelRequest" -> (params as? JsonObject)?.get("id")?.let { questions[it] }?.complete(Unit)
            else -> peer.notified(method, params)
        }
    }

    private fun settle(message: JsonObject) {
        val waiting = pending.remove((message["id"] as? JsonPrimitive)?.takeIf { it.isNumber }?.asLong ?: return) ?: return
        val error = message["error"]
        if (error != null) waiting.completeExceptionally(RpcError.of(error)) else waiting.complete(message["result"] ?: JsonNull.INSTANCE)
    }

    private fun answer(id: JsonElement, method: String, params: JsonElement) {
        val withdrawn = CompletableFuture<Unit>()
        questions[id] = withdrawn
        val answer = peer.requested(method, params, withdrawn)
            ?: CompletableFuture.failedFuture(RpcError(-32601, "no such method: $method", null))
        answer.whenComplete { result, problem ->
            questions.remove(id)
            val error = problem?.let { members("code" to JsonPrimitive((it as? RpcError)?.code ?: -32603), "message" to JsonPrimitive(it.message ?: "")) }
            outbox.add(envelope("id" to id, if (error == null) "result" to (result ?: JsonNull.INSTANCE) else "error" to error))
        }
    }
}
