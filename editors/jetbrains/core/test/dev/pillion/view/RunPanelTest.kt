package dev.pillion.view

import dev.pillion.World
import dev.pillion.core.Outcome
import dev.pillion.core.Run
import dev.pillion.core.State
import dev.pillion.core.offers
import dev.pillion.end
import dev.pillion.eventually
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import javax.swing.JLabel
import javax.swing.SwingUtilities
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test

class RunPanelTest {
    private val palette = Palette(dark = true)
    private val panel = onEdt { RunPanel(palette) }
    private val world = World().also { it.watch = panel::show }
    private val runner = Runner(world.client, panel).also { panel.runner = it }

    @After
    fun close() = world.close()

    private fun <T> onEdt(action: () -> T): T {
        var result: T? = null
        SwingUtilities.invokeAndWait { result = action() }
        return result!!
    }

    private fun text() = onEdt { panel.text() }

    private fun up(command: String): Run = runner.run(command)!!.also { run ->
        run.started.get(60, TimeUnit.SECONDS)
        eventually("the output") { "up\n" in text() }
    }

    @Test
    fun `output of a real command is shown with its colours`() {
        Picture.of(panel, "before")
        val script = "printf '\\033[31mred \\033[32mgreen \\033[1;34mbold blue\\033[0m\\n\\033[7m inverse \\033[0m \\033[38;5;208morange\\033[0m and plain\\n'\nmkdir dir; ls -d --color=always dir\nexit 3\n"
        Files.writeString(world.workspace.resolve("colours.sh"), script)
        runner.run("sh colours.sh")!!.end()
        assertTrue(text(), "red green bold blue\n inverse  orange and plain\ndir\nexit 3 · " in text())
        assertTrue(text(), "workspace-write, network by address book" in text())
        val picture = Picture.of(panel, "run")
        for (index in listOf(1, 2, 4)) assertTrue("colour $index", picture.count(palette.colour(Colour.Indexed(index))) > 20)
        assertTrue("orange", picture.count(palette.colour(Colour.Indexed(208))) > 20)
        assertTrue("inverse", picture.count(palette.foreground) > 500)
        assertTrue("the exit code", picture.count(palette.error) > 20)
    }

    @Test
    fun `what waits for input is told, and a line answers it`() {
        val run = runner.run("printf 'Your name? '; read x; echo got \$x")!!
        eventually("that it waits") { "sh waits for" in text() }
        onEdt { panel.input.text = "me"; panel.input.postActionEvent() }
        run.end()
        assertTrue(text(), "got me" in text())
    }

    @Test
    fun `a port is told, and one button opens it`() {
        val run = runner.run("exec python3 -m http.server 8123")!!
        eventually("that it listens") { "python3 listens on 0.0.0.0:8123 in the sandbox." in text() }
        assertEquals("Open Port 8123", onEdt { panel.open.text })
        onEdt { panel.open.doClick() }
        eventually("where it is") { "Port 8123 is at http://127.0.0.1:" in text() }
        val address = Regex("http://127.0.0.1:\\d+/").find(text())!!.value
        assertTrue(java.net.URI(address).toURL().readText().contains("Directory listing"))
        run.cancel()
        run.end()
        assertFalse(onEdt { panel.open.isVisible })
    }

    @Test
    fun `a denied command shows why, what to do instead and the span underlined`() {
        runner.run("echo grüß; sudo rm -rf ~")!!.end()
        val text = text()
        assertTrue(text, "denied: deletes ${world.root}\n    echo grüß; sudo rm -rf ~\n  why      A deleted system or home directory" in text)
        for (line in listOf("  via      sudo → ", "  instead  delete by name, inside the workspace\n", "  rule     fs/delete-system\n", "also  1 more (system/root)", "Nothing was run.")) assertTrue(line, line in text)
        assertEquals(listOf("~"), onEdt { marks() })
        Picture.of(panel, "denied")
    }

    private fun marks(): List<String> {
        val document = (panel.descendants().filterIsInstance<javax.swing.JTextPane>().single()).styledDocument
        val runs = (0 until document.length).map { document.getCharacterElement(it) }.distinct()
        return runs.filter { javax.swing.text.StyleConstants.isUnderline(it.attributes) }.map { document.getText(it.startOffset, it.endOffset - it.startOffset) }
    }

    @Test
    fun `the stop button cancels, and rerun runs the same again`() {
        up("echo up; sleep 600")
        assertTrue(onEdt { panel.stop.isEnabled && !panel.rerun.isEnabled })
        val first = runner.running()!!
        onEdt { panel.stop.doClick() }
        first.end()
        eventually("the end is shown") { "cancelled (killed by SIGTERM)" in text() && onEdt { panel.rerun.isEnabled && !panel.stop.isEnabled } }
        onEdt { panel.rerun.doClick() }
        val second = runner.running()!!
        eventually("it runs again") { text().split("up\n").size == 3 }
        runner.stop()
        second.end()
    }

    @Test
    fun `a second command waits for nobody and says so`() {
        val run = up("echo up; sleep 600")
        assertEquals(null, runner.run("echo second"))
        eventually("the sentence") { "A command runs already; stop it first." in text() }
        run.cancel()
        run.end()
        assertFalse("second\n" in text())
    }

    @Test
    fun `a line that is typed reaches the command`() {
        val run = up("echo up; read line; echo \"got <\$line>\"")
        onEdt { panel.input.text = "grüß"; panel.input.postActionEvent() }
        run.end()
        assertTrue(text(), "got <grüß>" in text())
    }

    @Test
    fun `the terminal is as wide as the panel, also when that changes`() {
        Picture.of(panel, "before", width = 700)
        val run = up("stty size; trap 'stty size; exit 0' WINCH; echo up; while :; do sleep 0.1; done")
        val (_, before) = onEdt { panel.fits() }
        Picture.of(panel, "before", width = 1000)
        run.end()
        val (rows, columns) = onEdt { panel.fits() }
        assertTrue("$before $columns", columns > before)
        assertTrue(text(), " $before\n" in text() && "$rows $columns\n" in text())
    }

    @Test
    fun `a run whose sidecar was killed says that it was interrupted, and rerun recovers`() {
        val run = up("test -e was && echo back; touch was; echo up; test -e back || sleep 600")
        world.client.process()!!.destroyForcibly()
        run.end()
        assertTrue(text(), "Interrupted: pillion ended while this ran" in text())
        Files.createFile(world.workspace.resolve("back"))
        eventually("rerun can be pressed") { onEdt { panel.rerun.isEnabled } }
        onEdt { panel.rerun.doClick() }
        eventually("it ran again: ${text()}") { "back\n" in text() && "exit 0" in text() }
    }

    @Test
    fun `text of a command or of pillion is never read as HTML`() {
        runner.run("echo '<html><b>bold'")!!.end()
        eventually("the label") { onEdt { panel.command.text } == "echo '<html><b>bold'" }
        onEdt { panel.command.text = "<html><h1>big" }
        for (label in onEdt { panel.descendants().filterIsInstance<JLabel>() }) assertEquals("no HTML view", null, label.getClientProperty("html"))
        assertTrue("<html><b>bold" in text())
        assertEquals("a &lt;b&gt; &amp;amp;<br>\\u{202e}", html("a <b> &amp;\n\u202e"))
    }

    @Test
    fun `the status line says what pillion is doing`() {
        world.run("true").end()
        eventually("ready") { onEdt { panel.status.text }.matches(Regex("""pillion \S+: sandbox \S+.*""")) }
        Picture.of(panel, "status", height = 120)
        val words = listOf(State.Starting, State.Waiting("it ended with code 137", 512), State.Failed("see the log")).map { state ->
            onEdt { panel.show(state) }
            onEdt { panel.status.text }
        }
        assertEquals(listOf("pillion: starting", "pillion: it ended with code 137; starts again in 0.5 s", "pillion: see the log"), words)
    }

    @Test
    fun `what the sandbox refused is given by one button, for one run`() {
        val outside = Files.createTempDirectory(Path.of("/srv"), "pillion-")
        try {
            Files.writeString(world.workspace.resolve("use.sh"), "date >$outside/made\n")
            val first = runner.run("sh use.sh")!!.end() as Outcome.Ended
            assertEquals(listOf("$outside"), first.result.offers().map { it.value })
            eventually("the button") { onEdt { panel.retry.isVisible } }
            onEdt { panel.retry.doClick() }
            eventually("it ran again: ${text()}") { "exit 0 · " in text() }
            assertTrue(Files.exists(outside.resolve("made")))
            eventually("it is not offered") { onEdt { panel.rerun.isEnabled && !panel.retry.isVisible } }
            onEdt { panel.rerun.doClick() }
            eventually("it was given once") { onEdt { panel.retry.isVisible } }
        } finally {
            outside.toFile().deleteRecursively()
        }
    }

    @Test
    fun `what the sandbox refused is told behind the output`() {
        val run = runner.run("awk '{ print > \$1 }'")!!
        run.started.get(60, TimeUnit.SECONDS)
        onEdt { panel.input.text = "/etc/x"; panel.input.postActionEvent() }
        run.end()
        assertTrue(text(), Regex("refused: .*awk.*/etc/x").containsMatchIn(text()))
    }

    @Test
    fun `a lot of output is shown to its end, and the view stays small`() {
        Picture.of(panel, "before")
        runner.run("yes 'all work and no play' | head -c 4000000; echo the end")!!.end()
        assertTrue("the end\nexit 0" in text())
        assertTrue("${text().length}", text().length <= 400_000)
    }
}

fun java.awt.Container.descendants(): List<java.awt.Component> = components.flatMap { listOf(it) + if (it is java.awt.Container) it.descendants() else emptyList() }
