package dev.pillion.core

import dev.pillion.Recorder
import dev.pillion.World
import dev.pillion.end
import dev.pillion.eventually
import java.nio.file.Files
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import pillion.ErrorKind
import pillion.ExecParams
import pillion.InitializationOptions
import pillion.PolicyOptions
import pillion.Reason
import pillion.RuleOptions
import pillion.SCHEMA_HASH

class SessionTest {
    private val asking = InitializationOptions(policy = PolicyOptions(rule = listOf(RuleOptions(id = "ask-touch", decision = pillion.Decision.ASK, prefix = listOf(com.google.gson.JsonPrimitive("touch"))))))

    @Test
    fun `the types are those of this binary`() = World().use { world ->
        world.run("true").end()
        assertEquals(SCHEMA_HASH, (world.client.state as State.Ready).session.serverInfo.schemaHash)
    }

    @Test
    fun `a folder that is opened later can be run in`() = World().use { world ->
        val other = Files.createDirectory(world.root.resolve("other"))
        val params = ExecParams(command = "pwd", cwd = "$other")
        assertEquals(ErrorKind.PATH_OUTSIDE_WORKSPACE, (world.client.run(params, Recorder()).end() as Outcome.Refused).error.kind)
        world.client.open(listOf(World.folder(world.workspace), World.folder(other)))
        val output = Recorder()
        assertEquals(0, (world.client.run(params, output).end() as Outcome.Ended).result.exitCode)
        assertEquals("$other\n", output.all())
    }

    @Test
    fun `a question that nobody can be asked is declined`() = World(asking, { error("no window") }).use { world ->
        assertEquals(ErrorKind.APPROVAL_DECLINED, (world.run("touch x").end() as Outcome.Refused).error.kind)
        assertTrue(Files.notExists(world.workspace.resolve("x")))
    }

    @Test
    fun `a question is withdrawn when its command is cancelled`() {
        val withdrawn = CountDownLatch(1)
        World(asking, { it.whenWithdrawn(withdrawn::countDown) }).use { world ->
            val run = world.run("touch x")
            eventually("the question") { world.questions.size == 1 }
            run.cancel()
            assertTrue("withdrawn", withdrawn.await(60, TimeUnit.SECONDS))
            assertEquals(ErrorKind.CANCELLED, (run.end() as Outcome.Refused).error.kind)
        }
    }

    @Test
    fun `a command that ignores the first cancel is killed by the second`() = World().use { world ->
        val output = Recorder()
        val run = world.client.run(ExecParams(command = "trap '' TERM; echo up; while :; do sleep 0.1; done", killGraceMs = 60_000), output)
        eventually("the command is up") { "up" in output.all() }
        run.cancel()
        assertTrue("still there", runCatching { run.outcome.get(300, TimeUnit.MILLISECONDS) }.isFailure)
        run.cancel()
        val result = (run.end() as Outcome.Ended).result
        assertEquals("cancelled SIGKILL", "${result.reason.word} ${result.signal}")
    }

    @Test
    fun `whoever follows a run can cancel it, and waits for its end`() = World().use { world ->
        val output = Recorder()
        val run = world.run("echo up; sleep 600", output)
        run.follow { "up" in output.all() }
        assertEquals(Reason.CANCELLED, (run.end() as Outcome.Ended).result.reason)
    }

    @Test
    fun `a cancel before the sidecar is up starts nothing`() = World().use { world ->
        val run = world.run("touch x")
        run.cancel()
        assertTrue("${run.end()}", run.end() is Outcome.NotStarted || run.end() is Outcome.Refused)
        world.run("true").end()
        assertTrue(Files.notExists(world.workspace.resolve("x")))
    }

    @Test
    fun `a listener that is slow loses nothing`() = World().use { world ->
        val output = Recorder()
        val slow = object : RunListener by output {
            override fun output(stream: pillion.Stream, bytes: ByteArray) {
                Thread.sleep(2)
                output.output(stream, bytes)
            }
        }
        world.run("yes | head -c 3000000", slow).end()
        assertEquals(3_000_000, output.bytes("stdout").size)
    }

    @Test
    fun `a listener that fails holds up nothing`() = World().use { world ->
        val output = Recorder()
        val broken = object : RunListener {
            override fun output(stream: pillion.Stream, bytes: ByteArray) = output.output(stream, bytes).also { error("broken, as it should be") }
            override fun ended(outcome: Outcome) = error("broken, as it should be")
        }
        assertEquals(0, (world.run("yes | head -c 1000000", broken).end() as Outcome.Ended).result.exitCode)
        assertEquals(1_000_000, output.bytes("stdout").size)
        assertTrue("the log tells", "failed: java.lang.IllegalStateException: broken" in world.client.log.text())
    }

    @Test
    fun `settings that pillion refuses say so and name the settings`() {
        World(InitializationOptions(profile = "nobodys")).use { world ->
            val why = (world.run("true").end() as Outcome.NotStarted).why
            assertTrue(why, "refused this session" in why && "nobodys" in why && SETTING in why)
            world.settings = world.settings.copy(options = InitializationOptions())
            assertTrue(world.run("true").end() is Outcome.Ended)
        }
    }

    @Test
    fun `the doctor says which program it is and what the machine enforces`() = World().use { world ->
        val text = doctor(world.settings, world.client.state)
        assertTrue(text, "program  ${World.binary} (from the settings)" in text && "version  " in text && "workspace-write" in text)
    }
}
