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
import pillion.RetryParams
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
    approver: Approver,
    private val listener: ClientListener = object : ClientListener {},
    private val backoff: Backoff = Backoff(),
) : AutoCloseable {
    private val daemons = ThreadFactory { Thread(it, "pillion client").apply { isDaemon = true } }
    private val worker = Executors.newSingleThreadScheduledExecutor(daemons)
    private val threads = Executors.newCachedThreadPool(daemons)
    private val ids = AtomicLong()
    private val owner = Sessions(approver)
    private var current: CompletableFuture<Session>? = null
    private var closed = false

    val log: Log = Log()

    @Volatile
    var state: State = State.Stopped
        private set

    /** Starts the sidecar if need be, and the command in it. */
    fun run(params: ExecParams, listener: RunListener): Run = run(tree(params).asJsonObject, listener)

    /** The command of these params, which has ended, runs again with what a person gives it this time. */
    fun retry(again: RetryParams, params: ExecParams, listener: RunListener): Run = run(tree(params).asJsonObject, listener, again)

    fun run(params: JsonObject, listener: RunListener, again: RetryParams? = null): Run {
        val run = Run("jb-${ids.incrementAndGet()}", params, listener, threads, log, again)
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
    @Synchronized
    fun restart(): CompletableFuture<*> {
        backoff.reset()
        val before = current
        val fresh = begin(0)
        // Those that wait for a sidecar that has not come up get this one.
        if (before?.isDone == false) fresh.whenComplete { session, problem -> if (problem == null) before.complete(session) else before.completeExceptionally(problem) }
        else before?.thenAccept { it.close() }
        return fresh
    }

    @Synchronized
    override fun close() {
        closed = true
        if (current?.completeExceptionally(stopped()) == false) current?.thenAccept { it.close() }
        current = null
        worker.shutdownNow()
    }

    /** The process that runs now. */
    fun process(): ProcessHandle? = live()?.process?.toHandle()

    @Synchronized
    private fun live() = current?.takeIf { it.isDone && !it.isCompletedExceptionally }?.join()

    @Synchronized
    private fun session(): CompletableFuture<Session> =
        if (closed) CompletableFuture.failedFuture(stopped()) else current ?: begin(0)

    private fun stopped() = ServerProblem("pillion was stopped with the project.")

    private fun begin(delay: Long, next: CompletableFuture<Session> = CompletableFuture()): CompletableFuture<Session> {
        current = next
        worker.schedule({ start(next) }, delay, TimeUnit.MILLISECONDS)
        return next
    }

    private fun start(next: CompletableFuture<Session>) {
        val folders = synchronized(this) { if (current !== next) return else folders }
        tell(State.Starting)
        try {
            val (session, ready) = opened(settings(), folders, owner)
            backoff.started()
            if (synchronized(this) { current === next }) tell(ready)
            synchronized(this) { if (current === next) next.complete(session) else session.close() }
        } catch (e: Exception) {
            val mine = synchronized(this) { (current === next).also { if (it) current = null } } // the next run tries with the settings of then
            if (mine) tell(State.Failed(e.message ?: e.toString()))
            if (mine) next.completeExceptionally(e)
        }
    }

    private fun tell(now: State) {
        state = now
        log.add(now.words())
        listener.state(now)
    }

    private inner class Sessions(override val approver: Approver) : Owner {
        private var next: CompletableFuture<Session>? = null
        override val log get() = this@Client.log

        override fun message(type: Int, text: String) = listener.message(type, text)

        // From here on runs wait for the next one.
        override fun lost(session: Session) = synchronized(this@Client) {
            if (live() === session && !closed) current = CompletableFuture<Session>().also { next = it }
        }

        override fun ended(session: Session, why: String) {
            val told = synchronized(this@Client) {
                val waiting = next.also { next = null }
                if (waiting == null || waiting !== current) return
                val delay = backoff.crashed()
                if (delay != null) State.Waiting(why, delay).also { begin(delay, waiting) } else gaveUp(why).also { waiting.completeExceptionally(ServerProblem(it.why)) }
            }
            tell(told)
        }
    }

    private fun gaveUp(why: String) = State.Failed(
        "pillion ended ${Backoff.LIMIT + 1} times within 3 minutes, the last time because $why; see Tools | pillion | Show Log, then use Restart.",
    )
}
