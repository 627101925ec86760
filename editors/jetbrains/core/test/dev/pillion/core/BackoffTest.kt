package dev.pillion.core

import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test

class BackoffTest {
    private var time = 0L
    private val backoff = Backoff({ time }, { 0.5 })

    private fun crash(after: Long = 1000): Long? {
        backoff.started()
        time += after
        return backoff.crashed()
    }

    @Test
    fun `it waits a half, one, two, four and eight seconds, then not any more`() {
        assertEquals(listOf(500L, 1000, 2000, 4000, 8000, null), List(6) { crash() })
    }

    @Test
    fun `what is older than three minutes does not count`() {
        repeat(5) { crash() }
        time += 181_000
        backoff.started()
        assertEquals(500L, backoff.crashed())
    }

    @Test
    fun `a minute of health makes it forget`() {
        repeat(4) { crash() }
        assertEquals(500L, crash(after = 60_000))
    }

    @Test
    fun `a restart by a person makes it forget`() {
        repeat(5) { crash() }
        assertNull(crash())
        backoff.reset()
        assertEquals(500L, crash())
    }

    @Test
    fun `the times jitter by a fifth`() {
        for (random in listOf(0.0, 0.3, 0.999)) {
            val delay = Backoff({ 0 }, { random }).crashed()!!
            assertTrue("$delay", delay in 400..600)
        }
        assertEquals(400L to 520L, Backoff({ 0 }, { 0.0 }).crashed()!! to Backoff({ 0 }, { 0.6 }).crashed()!!)
    }
}
