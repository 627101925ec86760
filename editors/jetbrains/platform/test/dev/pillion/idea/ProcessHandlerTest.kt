package dev.pillion.idea

import com.intellij.execution.process.ProcessAdapter
import com.intellij.execution.process.ProcessEvent
import com.intellij.openapi.util.Key
import dev.pillion.World
import dev.pillion.eventually
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeUnit
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import pillion.ExecParams
import pillion.StdinParams

/** With the ProcessHandler of the real platform, if that of 2018, and the real binary. */
class ProcessHandlerTest {
    private val world = World()
    private val heard = ConcurrentLinkedQueue<String>()
    private val code = CompletableFuture<Int>()

    @After
    fun close() = world.close()

    private fun handler(params: ExecParams) = PillionProcessHandler(params) { it, listener -> world.client.run(it, listener) }.apply {
        addProcessListener(object : ProcessAdapter() {
            override fun onTextAvailable(event: ProcessEvent, outputType: Key<*>) {
                heard.add("$outputType: ${event.text}")
            }

            override fun processTerminated(event: ProcessEvent) {
                code.complete(event.exitCode)
            }
        })
        startNotify()
    }

    private fun exit() = code.get(60, TimeUnit.SECONDS)

    private fun all() = heard.joinToString("")

    @Test
    fun `output and exit code arrive, stream by stream`() {
        handler(ExecParams(command = "printf '\\033[31mgrüß\\033[0m\\n'; sleep 0.1; echo err >&2; exit 3"))
        assertEquals(3, exit())
        assertTrue(all(), all().startsWith("stdout: grüß\nstderr: err\nsystem: exit 3 · "))
    }

    @Test
    fun `the console's input reaches the command`() {
        val handler = handler(ExecParams(command = "echo up; read line; echo \"got <\$line>\"", stdin = StdinParams(open = true)))
        eventually("the command is up") { "up" in all() }
        handler.processInput.apply { write("zwölf\n".toByteArray()); flush() }
        assertEquals(0, exit())
        assertTrue(all(), "got <zwölf>" in all())
    }

    @Test
    fun `stop cancels, and stop again kills`() {
        val handler = handler(ExecParams(command = "trap '' TERM; echo up; while :; do sleep 0.1; done", killGraceMs = 60_000))
        eventually("the command is up") { "up" in all() }
        handler.destroyProcess()
        assertTrue("still there", runCatching { code.get(300, TimeUnit.MILLISECONDS) }.isFailure)
        assertTrue(handler.canKillProcess())
        handler.killProcess()
        assertEquals(130, exit())
        assertTrue(all(), "cancelled (killed by SIGKILL)" in all())
    }

    @Test
    fun `a denied command ends with 125 and the reason`() {
        handler(ExecParams(command = "rm -rf ~"))
        assertEquals(125, exit())
        assertTrue(all(), "system: denied: deletes ${world.root}\n" in all() && "system:   instead  delete by name" in all())
    }

    @Test
    fun `what may not start ends at once`() {
        val handler = PillionProcessHandler(ExecParams(command = "true")) { _, _ -> null }
        handler.startNotify()
        assertTrue(handler.waitFor(10_000))
        assertEquals(125, handler.exitCode)
    }
}
