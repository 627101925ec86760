package dev.pillion.core

import dev.pillion.World
import dev.pillion.end
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.attribute.PosixFilePermissions
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test

class LocatorTest {
    private val root = Files.createTempDirectory("pillion-jetbrains-")

    @After
    fun remove() {
        root.toFile().deleteRecursively()
    }

    private fun program(path: String, text: String = "#!/bin/sh\n", mode: String = "rwxr-xr-x"): Path {
        val file = root.resolve(path)
        Files.createDirectories(file.parent)
        Files.writeString(file, text)
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode))
    }

    private fun find(setting: String = "", plugin: Path? = null, path: String = "") = Locator(setting, plugin, mapOf("PATH" to path), home = "$root", windows = false).find()

    private fun problem(setting: String = "", plugin: Path? = null, path: String = "") = assertThrows(ServerProblem::class.java) { find(setting, plugin, path) }.message

    @Test
    fun `the setting comes first, then the plugin's own, then PATH`() {
        val chosen = program("chosen/pillion")
        val own = program("plugin/bin/pillion")
        val installed = program("usr/bin/pillion")
        val path = "/nowhere:${installed.parent}"
        assertEquals(Located(chosen, "from the settings"), find("$chosen", root.resolve("plugin"), path))
        assertEquals(Located(chosen, "from the settings"), find("~/chosen/pillion"))
        assertEquals(Located(own, "of the plugin"), find("", root.resolve("plugin"), path))
        assertEquals(Located(installed, "on PATH"), find("", root.resolve("elsewhere"), path))
    }

    @Test
    fun `a setting that is wrong is not passed over`() {
        val path = "${program("usr/bin/pillion").parent}"
        assertEquals("$root/none does not exist; correct it, or leave it empty to have pillion looked for, in $SETTING.", problem("$root/none", path = path))
        assertTrue(problem("$root", path = path).startsWith("$root is a directory;"))
        assertTrue(problem("/a\u0000b", path = path).endsWith("is no absolute path; correct it, or leave it empty to have pillion looked for, in $SETTING."))
        assertTrue(problem("pillion", path = path).startsWith("pillion is no absolute path;"))
        val data = program("data/pillion", mode = "rw-r--r--")
        assertTrue(problem("$data", path = path).startsWith("$data can't be executed;"))
    }

    @Test
    fun `relative entries of PATH are not searched, for they would be the project's`() {
        program("bin/pillion")
        val here = Path.of("").toAbsolutePath().relativize(root.resolve("bin"))
        assertTrue(problem(path = "$here:.::").startsWith("pillion was not found"))
        assertTrue(problem(path = "").endsWith("$SETTING."))
    }

    @Test
    fun `a bundled binary that lost its bit gets it back`() {
        val own = program("plugin/bin/pillion", mode = "rw-r--r--")
        assertEquals(own, find(plugin = root.resolve("plugin")).path)
        assertTrue(Files.isExecutable(own))
    }

    @Test
    fun `a server of another protocol gives one sentence with found, required and the setting`() = World { copy(protocol = 2) }.use { world ->
        val version = versionOf(Located(Path.of(World.binary), ""), world.settings.environment)
        val why = (world.run("true").end() as Outcome.NotStarted).why
        assertEquals("pillion $version at ${World.binary} (from the settings) speaks protocol 1, and this plugin needs 2; choose one that fits in $SETTING.", why)
        assertEquals(State.Failed(why), world.client.state)
        assertEquals("tried once: ${world.states}", 1, world.states.count { it == State.Starting })
    }

    @Test
    fun `one that ends with a usage error is told in a sentence, and not started again by itself`() {
        val wrapped = program("other/pillion", "#!/bin/sh\necho start >> $root/starts\n[ \"\$1\" = version ] || set -- serve --bogus\nexec ${World.binary} \"\$@\"\n")
        World { copy(path = "$wrapped") }.use { world ->
            val why = (world.run("true").end() as Outcome.NotStarted).why
            assertTrue(why, "at $wrapped (from the settings) ended before it answered; see " in why && why.endsWith("$SETTING."))
            Thread.sleep(700) // longer than the first wait of the back-off
            assertEquals("its version, and one try", "start\nstart\n", Files.readString(root.resolve("starts")))
            assertTrue("the log has its own words", "unknown flag" in world.client.log.text())
        }
    }

    @Test
    fun `another program under that name is told from pillion before it is spoken to`() {
        val other = program("other/pillion", "#!/bin/sh\necho \"\$@\" >> $root/asked\necho other 1.0\n")
        World { copy(path = "$other") }.use { world ->
            val why = (world.run("true").end() as Outcome.NotStarted).why
            assertEquals("$other (from the settings) is not pillion: asked for its version it said \"other 1.0\"; choose another program in $SETTING.", why)
        }
        assertEquals("version\n", Files.readString(root.resolve("asked")))
    }
}
