package dev.pillion.idea

import com.intellij.openapi.progress.EmptyProgressIndicator
import com.intellij.util.xmlb.XmlSerializer
import dev.pillion.Recorder
import dev.pillion.World
import dev.pillion.core.Outcome
import dev.pillion.end
import dev.pillion.eventually
import kotlin.concurrent.thread
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

/** The parts of the layer that classes of 2018 are enough for. */
class PlatformTest {
    @Test
    fun `the cross of the progress bar cancels the run`() = World().use { world ->
        val output = Recorder()
        val run = world.run("echo up; sleep 600", output)
        eventually("the command is up") { "up" in output.all() }
        val indicator = EmptyProgressIndicator()
        val task = thread { RunTask(null, run).run(indicator) }
        indicator.cancel()
        assertEquals("cancelled", (run.end() as Outcome.Ended).result.reason)
        task.join(10_000)
        assertTrue("the bar goes with the run", !task.isAlive)
    }

    @Test
    fun `settings survive being written and read`() {
        val before = PillionSettings().apply { path = "/opt/pillion"; mode = "read-only"; network = "proxy"; timeoutSeconds = 30; trace = "verbose"; profile = "isolated" }
        val read = XmlSerializer.deserialize(XmlSerializer.serialize(before), PillionSettings::class.java)
        val after = PillionSettings().apply { loadState(read) }
        fun PillionSettings.all() = listOf(path, mode, network, timeoutSeconds, trace, profile)
        assertEquals(before.all(), after.all())
        assertEquals(listOf("", "", "", 0, "off", ""), PillionSettings().all())
    }
}
