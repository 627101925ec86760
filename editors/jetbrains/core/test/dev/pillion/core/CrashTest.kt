package dev.pillion.core

import dev.pillion.Recorder
import dev.pillion.World
import dev.pillion.end
import dev.pillion.eventually
import java.nio.file.Files
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import pillion.Mode
import pillion.Reason

class CrashTest {
    @Test
    fun `a run whose sidecar is killed is interrupted, is not run again, and the next one works`() = World().use { world ->
        val output = Recorder()
        val run = world.run("echo once >> runs; echo up; sleep 600", output)
        eventually("the command is up") { "up" in output.all() }
        world.client.process()!!.destroyForcibly()
        val outcome = run.end() as Outcome.Interrupted
        assertTrue(outcome.why, outcome.why.startsWith("Interrupted: pillion ended while this ran"))
        assertTrue(outcome.why, "not run again" in outcome.why)
        val again = Recorder()
        assertEquals(0, (world.run("cat runs", again).end() as Outcome.Ended).result.exitCode)
        assertEquals("once\n", again.all())
        assertTrue("${world.states}", world.states.any { it is State.Waiting && "code 137" in it.why })
    }

    @Test
    fun `after five restarts it gives up with one sentence, until a person restarts it`() {
        val hasty = World()
        // Real crashes, and a clock that makes the waiting short.
        val client = Client({ hasty.settings }, listOf(World.folder(hasty.workspace)), { it.decline() }, backoff = Backoff(random = { -1.99 }))
        try {
            repeat(Backoff.LIMIT + 1) { round ->
                assertTrue("started $round", client.run(pillion.ExecParams(command = "true"), Recorder()).end() is Outcome.Ended)
                val before = ids(client)
                client.process()!!.destroyForcibly()
                eventually("the crash is noticed") { client.state is State.Failed || ids(client) != before }
            }
            eventually("it gives up") { client.state is State.Failed }
            val refused = client.run(pillion.ExecParams(command = "true"), Recorder()).end() as Outcome.NotStarted
            assertTrue(refused.why, refused.why.startsWith("pillion ended 6 times within 3 minutes") && "use Restart" in refused.why)
            client.restart()
            assertTrue(client.run(pillion.ExecParams(command = "true"), Recorder()).end() is Outcome.Ended)
        } finally {
            client.process().let { process -> client.close(); process?.onExit()?.join() }
            hasty.close()
        }
    }

    private fun ids(client: Client) = client.process()?.pid()

    @Test
    fun `closing the client ends the sidecar and what it runs`() {
        val world = World()
        val output = Recorder()
        val run = world.run("echo up; sleep 600", output)
        eventually("the command is up") { "up" in output.all() }
        val process = world.client.process()!!
        world.close()
        assertTrue(!process.isAlive)
        assertTrue("${run.end()}", (run.end() as? Outcome.Ended)?.result?.reason == Reason.SHUTDOWN || run.end() is Outcome.Interrupted)
        assertTrue(Files.notExists(world.root))
    }

    @Test
    fun `a restart takes the settings of now`() = World().use { world ->
        world.run("true").end()
        val first = world.client.process()!!.pid()
        world.settings = world.settings.copy(options = pillion.InitializationOptions(sandbox = pillion.SandboxOptions(mode = Mode.READ_ONLY)))
        world.client.restart()
        assertEquals(Mode.READ_ONLY, (world.run("true").end() as Outcome.Ended).result.sandbox.mode)
        assertTrue(first != world.client.process()!!.pid())
    }
}
