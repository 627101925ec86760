package dev.pillion.core

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import java.io.ByteArrayOutputStream
import java.io.InputStream
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

class RunTest {
    private object Nobody : Peer {
        override fun notified(method: String, params: JsonElement) = Unit

        override fun requested(method: String, params: JsonElement, withdrawn: CompletableFuture<Unit>): CompletableFuture<JsonElement>? = null

        override fun lost() = Unit

        override fun closed(why: String) = Unit
    }

    private class Sent : ByteArrayOutputStream() {
        val closed = CountDownLatch(1)

        override fun close() = closed.countDown()
    }

    // The threads that tell the listener are slower than the sidecar that comes.
    @Test
    fun `what is cancelled before it is sent is not sent any more`() {
        val later = ConcurrentLinkedQueue<Runnable>()
        val run = Run("r", JsonObject(), object : RunListener {}, later::add, Log())
        val sent = Sent()
        val connection = Connection(InputStream.nullInputStream(), sent, Nobody)
        run.cancel()
        run.send(connection)
        connection.start()
        connection.close()
        assertTrue("closed", sent.closed.await(60, TimeUnit.SECONDS))
        assertEquals("", "$sent")
        generateSequence(later::poll).forEach(Runnable::run)
        assertTrue(run.outcome.get(60, TimeUnit.SECONDS) is Outcome.NotStarted)
    }
}
