package dev.pillion.view

import dev.pillion.core.Client
import dev.pillion.core.Run
import dev.pillion.core.RunListener
import dev.pillion.core.offers
import pillion.ExecParams
import pillion.ExecResult
import pillion.PtyParams
import pillion.RetryParams

/** Shows runs, one after the other. */
interface RunView {
    /** A new run begins; the listener gets the rest. */
    fun begin(params: ExecParams): RunListener

    /** Rows and columns that fit. */
    fun fits(): Pair<Int, Int>

    /** Something to tell that belongs to no run. */
    fun say(text: String)
}

/** The commands of the buttons and the menu: run, rerun the last one, stop. [allowed] is asked before each run. */
class Runner(private val client: Client, private val view: RunView, private val allowed: () -> Boolean = { true }) {
    private var last: ExecParams? = null
    private var current: Run? = null

    @Synchronized
    fun running(): Run? = current?.takeIf { !it.over }

    @Synchronized
    fun canRerun(): Boolean = last != null && running() == null

    /** Starts it in a terminal of the view's size, or says why not. */
    fun run(command: String, cwd: String? = null): Run? = run(ExecParams(command = command, cwd = cwd))

    fun run(params: ExecParams): Run? = run(params, null)

    private fun run(params: ExecParams, again: RetryParams?): Run? {
        if (!allowed()) return null
        synchronized(this) {
            if (running() == null) {
                last = params
                val (rows, columns) = view.fits()
                val sized = params.copy(pty = PtyParams(rows, columns))
                val listener = view.begin(params)
                val run = if (again == null) client.run(sized, listener) else client.retry(again, sized, listener)
                return run.also { current = it }
            }
        }
        view.say("A command runs already; stop it first.")
        return null
    }

    fun rerun(): Run? = synchronized(this) { last }?.let(::run)

    /** Runs the last one again with what it was refused, this once. The call is the person's yes. */
    fun retry(refused: ExecResult): Run? = synchronized(this) { last }?.let { run(it, RetryParams(refused.execId, refused.offers())) }

    fun stop() {
        running()?.cancel()
    }

    fun type(text: String) {
        running()?.write(text)
    }

    /** Opens a port of what runs; the line says where it is, or why not. */
    fun forward(port: Int) {
        running()?.forward(port)?.whenComplete { to, problem -> view.say(if (problem == null) "Port $port is at http://${to.address}/" else "Port $port: ${problem.message}") }
    }

    fun resize(rows: Int, columns: Int) {
        running()?.takeIf { it.started.isDone }?.resize(rows, columns)
    }
}
