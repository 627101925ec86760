package dev.pillion.core

import java.util.concurrent.Executor

/** Does one thing after the other, on threads that it shares with others. */
internal class Serial(private val threads: Executor, private val failed: (Exception) -> Unit) {
    private val waiting = ArrayDeque<() -> Unit>()
    private var busy = false

    fun add(task: () -> Unit) {
        synchronized(waiting) {
            waiting.addLast(task)
            if (busy) return
            busy = true
        }
        threads.execute(::work)
    }

    private fun work() {
        while (true) {
            val task = synchronized(waiting) { waiting.removeFirstOrNull().also { if (it == null) busy = false } } ?: return
            try {
                task()
            } catch (e: Exception) { // of a listener; what follows must reach it nevertheless
                failed(e)
            }
        }
    }
}
