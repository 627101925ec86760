package dev.pillion.core

private const val MINUTE = 60_000L

/** When to start a sidecar again that ended by itself: soon, then later, then not any more. */
class Backoff(
    private val now: () -> Long = { System.nanoTime() / 1_000_000 },
    private val random: () -> Double = Math::random,
) {
    private val crashes = ArrayDeque<Long>()
    private var started = now()

    fun started() {
        started = now()
    }

    /** Milliseconds to wait, or null to give up: five within three minutes are enough to see that it won't help. */
    fun crashed(): Long? {
        val time = now()
        if (time - started >= MINUTE) crashes.clear()
        while (crashes.isNotEmpty() && time - crashes.first() > 3 * MINUTE) crashes.removeFirst()
        if (crashes.size == LIMIT) return null
        crashes.addLast(time)
        val delay = 500L shl (crashes.size - 1)
        // Editors that lost their sidecars together must not come back together.
        return (delay * (0.8 + 0.4 * random())).toLong()
    }

    /** A person asked for a new start. */
    fun reset() = crashes.clear()

    companion object {
        const val LIMIT: Int = 5
    }
}
