package dev.pillion.core

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executors
import java.util.concurrent.ThreadFactory
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicLong
import pillion.DidChangeFoldersParams
import pillion.ExecParams
import pillion.FoldersEvent
import pillion.WorkspaceFolder

/** Told of what concerns all runs, on any thread. */
interface ClientListener {
    fun state(state: State) = Unit

    /** For the eye: 1 error, 2 warning, 3 and 4 the rest. */
    fun message(type: Int, text: String) = Unit
}

/** A sidecar that is started when it is needed, and again if it ends by itself. No run is ever sent twice. */
class Client(
    private val settings: () -> Settings,
    private var folders: List<WorkspaceFolder>,
    private val approver: Approver,
    private val listener: ClientListener = object : ClientListener {},
    private val backoff: Backoff = Backoff(),
) : AutoCloseable {
    private val daemons = ThreadFactory { Thread(it, "pillion client").apply { isDaemon = true } }
    private val worker = Executors.newSingleThreadScheduledExecutor(daemons)
    private val threads = Executors.newCachedThreadPool(daemons)
    private val ids = AtomicLong()
    private var current: CompletableFuture<Session>? = null
    private var closed = false

    val log: Log = Log()

    @Volatile
    var state: State = State.Stopped
        private set

    /** Starts the sidecar if need be, and the command in it. */
    fun run(params: ExecParams, listener: RunListener): Run = run(tree(params).asJsonObject, listener)

    fun run(params: JsonObject, listener: RunListener): Run {
        val run = Run("jb-${ids.incrementAndGet()}", params, listener, threads)
        session().whenComplete { session, problem ->
            if (problem == null) session.exec(run) else run.settle(Outcome.NotStarted(problem.message ?: problem.toString()))
        }
        return run
    }

    fun request(method: String, params: JsonElement?): CompletableFuture<JsonElement> =
        session().thenCompose { it.connection.request(method, params) }

    /** For the commands to come; those that run keep theirs. */
    @Synchronized
    fun open(now: List<WorkspaceFolder>) {
        if (now == folders) return
        val change = DidChangeFoldersParams(FoldersEvent(now - folders.toSet(), folders - now.toSet()))
        folders = now
        current?.thenAccept { it.connection.notify("workspace/didChangeWorkspaceFolders", tree(change)) }
    }

    /** A new sidecar with the settings of now; what runs is ended. Crashes of before don't count any more. */
    fun restart(): CompletableFuture<*> {
        val before = synchronized(this) { backoff.reset(); current.also { current = null } }
        before?.thenAccept { it.close() }
        tell(State.Stopped)
        return session()
    }

    override fun close() {
        val last = synchronized(this) { closed = true; current.also { current = null } }
        last?.thenAccept { it.close() }
        worker.shutdownNow()
    }

    /** The process that runs now, for tests that kill it and for the doctor. */
    fun process(): ProcessHandle? = synchronized(this) { current }?.takeIf { it.isDone && !it.isCompletedExceptionally }?.join()?.process?.toHandle()

    @Synchronized
    private fun session(): CompletableFuture<Session> {
        if (closed) return CompletableFuture.failedFuture(ServerProblem("pillion was stopped with the project."))
        // Having given up stays so until a person asks for a restart.
        return current ?: begin(0)
    }

    private fun begin(delay: Long): CompletableFuture<Session> {
        val next = CompletableFuture<Session>()
        current = next
        worker.schedule({ start(next) }, delay, TimeUnit.MILLISECONDS)
        return next
    }

    private fun start(next: CompletableFuture<Session>) {
        if (synchronized(this) { current !== next }) return abandon(next)
        tell(State.Starting)
        val opened = try {
            opened(settings(), synchronized(this) { folders }, approver, log, listener::message, ::ended)
        } catch (e: Exception) {
            synchronized(this) { if (current === next) current = null } // the next run tries with the settings of then
            tell(State.Failed(e.message ?: e.toString()))
            next.completeExceptionally(e)
            return
        }
        backoff.started()
        if (synchronized(this) { current !== next }) opened.first.close() else tell(opened.second)
        next.complete(opened.first)
    }

    private fun abandon(next: CompletableFuture<Session>) {
        next.completeExceptionally(ServerProblem("pillion was restarted meanwhile."))
    }

    private fun ended(session: Session, why: String) {
        val told = synchronized(this) {
            val mine = current?.takeIf { it.isDone && !it.isCompletedExceptionally }?.join() === session
            if (!mine || closed) return
            val delay = backoff.crashed()
            if (delay != null) State.Waiting(why, delay).also { begin(delay) } else gaveUp(why)
        }
        tell(told)
    }

    private fun gaveUp(why: String): State {
        val sentence = "pillion ended ${Backoff.LIMIT + 1} times within 3 minutes, the last time because $why; see Tools | pillion | Show Log, then use Restart."
        current = CompletableFuture.failedFuture(ServerProblem(sentence))
        return State.Failed(sentence)
    }

    private fun tell(now: State) {
        state = now
        log.add(now.words())
        listener.state(now)
    }
}
