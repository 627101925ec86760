package dev.pillion.view

import com.google.gson.JsonPrimitive
import dev.pillion.Recorder
import dev.pillion.World
import dev.pillion.core.Approver
import dev.pillion.core.Outcome
import dev.pillion.core.Question
import dev.pillion.end
import java.nio.file.Files
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import javax.swing.JButton
import javax.swing.SwingUtilities
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test
import pillion.Choice
import pillion.Decision
import pillion.ErrorKind
import pillion.InitializationOptions
import pillion.Network
import pillion.PolicyOptions
import pillion.RuleOptions
import pillion.SandboxOptions

/** The panel answers questions of the real binary. */
class ApprovalPanelTest {
    private val palette = Palette(dark = true)
    private var shown = CompletableFuture<ApprovalPanel>()
    private val closed = CompletableFuture<Unit>()
    private val rule = RuleOptions(id = "ask-touch", decision = Decision.ASK, prefix = listOf(JsonPrimitive("touch")))
    private val world = World(InitializationOptions(policy = PolicyOptions(rule = listOf(rule))), Approver(::show))

    @After
    fun close() = world.close()

    private fun show(question: Question) {
        SwingUtilities.invokeLater { shown.complete(ApprovalPanel(question, { closed.complete(Unit) }, palette)) }
    }

    private fun panel() = shown.get(60, TimeUnit.SECONDS)

    private fun press(button: JButton) = SwingUtilities.invokeAndWait { assertTrue(button.text, button.isVisible); button.doClick() }

    private fun answer(command: String, press: (ApprovalPanel) -> Unit): Outcome {
        shown = CompletableFuture()
        val run = world.run(command)
        press(panel())
        return run.end()
    }

    private fun exists(name: String) = Files.exists(world.workspace.resolve(name))

    @Test
    fun `it shows the exact command, where, why and what to do instead, with the span underlined`() {
        val outcome = answer("git status && git push -f") { panel ->
            val text = panel.text()
            assertTrue(text, text.startsWith("Run git status && git push -f?\n"))
            for (line in listOf("    git status && git push -f\n", "  in       ${world.workspace}\n", "  sandbox  workspace-write, network by address book\n", "git overwrites branches on the server\n", "  why      Commits that others pushed", "  instead  git push --force-with-lease\n", "  rule     git/force-push\n")) assertTrue("$line in\n$text", line in text)
            val picture = Picture.of(panel, "approval", height = 360)
            val wide = 3 * panel.getFontMetrics(palette.font).charWidth('m')
            assertTrue("underline ${picture.longestLine(palette.error)} of $wide", picture.longestLine(palette.error) >= wide - 1)
            press(panel.decline)
        }
        assertEquals("client", (outcome as Outcome.Refused).error.data!!["by"].asString)
        closed.get(60, TimeUnit.SECONDS)
    }

    @Test
    fun `accept runs it once`() {
        assertTrue(answer("touch a") { press(it.accept) } is Outcome.Ended)
        assertTrue(exists("a"))
        assertTrue(answer("touch a") { press(it.decline) } is Outcome.Refused)
    }

    @Test
    fun `accept for session is asked once`() {
        assertTrue(answer("touch s") { press(it.session) } is Outcome.Ended)
        assertEquals(0, (world.run("touch s").end() as Outcome.Ended).result.exitCode)
        assertEquals(1, world.questions.size)
    }

    @Test
    fun `always is one row of the user's policy, and asked once`() {
        val outcome = answer("touch k") { panel ->
            assertTrue(panel.text(), "  always   exactly this command, in ${world.workspace} and below, also tomorrow\n" in panel.text())
            press(panel.always)
        }
        assertEquals(Choice.ACCEPT_ALWAYS, (outcome as Outcome.Ended).result.approval!!.decision)
        assertTrue("touch k" in Files.readString(world.root.resolve(".config/pillion/policy.toml")))
        assertEquals(0, (world.run("touch  'k'").end() as Outcome.Ended).result.exitCode)
        assertEquals(1, world.questions.size)
    }

    @Test
    fun `edit runs the other text instead`() {
        val output = Recorder()
        val run = world.run("touch e", output)
        val panel = panel()
        press(panel.edit)
        SwingUtilities.invokeAndWait {
            assertEquals("touch e", panel.editor.text)
            assertFalse("what was read is not what would run", panel.accept.isVisible || panel.session.isVisible || panel.always.isVisible)
            panel.editor.text = "echo edited"
        }
        press(panel.edit)
        run.end()
        assertEquals("edited\n", output.all())
        assertFalse(exists("e"))
    }

    @Test
    fun `a window that is closed declines`() {
        assertEquals(ErrorKind.APPROVAL_DECLINED, (answer("touch w") { it.closed() } as Outcome.Refused).error.kind)
        assertFalse(exists("w"))
    }

    @Test
    fun `the window goes when the command is cancelled`() {
        val run = world.run("touch c")
        panel()
        run.cancel()
        closed.get(60, TimeUnit.SECONDS)
        run.end()
        assertFalse(exists("c"))
    }

    @Test
    fun `the focus is on decline, and what is not offered is not there`() {
        answer("touch \$HOME/x; touch f") { panel ->
            assertEquals(panel.decline, panel.firstFocus)
            assertFalse("a session for text with expansions", panel.session.isVisible)
            press(panel.decline)
        }
    }

    @Test
    fun `arguments are shown as a person types them, and have no text to edit`() {
        val run = world.client.run(pillion.ExecParams(argv = listOf("touch", "a b", "c")), Recorder())
        val panel = panel()
        assertTrue(panel.text(), "    touch 'a b' c\n" in panel.text())
        assertFalse(panel.edit.isVisible)
        press(panel.accept)
        run.end()
        assertTrue(exists("a b"))
    }

    @Test
    fun `the name of a directory is no line of the question`() {
        val odd = Files.createDirectory(world.workspace.resolve("a\n  sandbox  read-only"))
        val run = world.client.run(pillion.ExecParams(command = "touch x", cwd = "$odd"), Recorder())
        val text = panel().text()
        assertTrue(text, "  in       ${world.workspace}/a\\n sandbox read-only\n" in text)
        press(panel().decline)
        run.end()
    }

    @Test
    fun `a connection is asked about by its host`() {
        World(InitializationOptions(sandbox = SandboxOptions(network = Network.PROXY)), Approver(::show)).use { proxied ->
            val output = Recorder()
            val run = proxied.run("curl -sS http://pillion.example/", output)
            val text = panel().text()
            assertTrue(text, text.startsWith("Let everything in this sandbox connect to pillion.example:80?\n"))
            for (line in listOf("    curl -sS http://pillion.example/\n", "  session  this host, in all sandboxes\n", "  sandbox  workspace-write, network by address book\n")) assertTrue(text, line in text)
            assertFalse("there is no text to edit", panel().edit.isVisible)
            press(panel().decline)
            run.end()
            assertTrue(output.all(), "pillion.example:80 is refused" in output.all())
        }
    }

    @Test
    fun `hidden characters of a command are spelled out, and HTML is text`() {
        assertEquals("a\\u{202e}b\\u{001b}[1m\\u{200b}c", visible("a\u202eb\u001b[1m\u200bc"))
        answer("touch '<html>' '\u00a0\t'") { panel ->
            assertTrue(panel.text(), "    touch '<html>' '\\u00a0  '\n" in panel.text())
            for (part in panel.descendants().filterIsInstance<javax.swing.JComponent>()) assertEquals("no HTML view", null, part.getClientProperty("html"))
            press(panel.decline)
        }
    }
}
