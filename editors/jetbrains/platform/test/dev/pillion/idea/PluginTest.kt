package dev.pillion.idea

import java.io.File
import javax.xml.parsers.DocumentBuilderFactory
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.w3c.dom.Element

/** What an IDE would only find out when it loads the plugin. */
class PluginTest {
    private val root = File(System.getenv("PLUGIN") ?: error("set PLUGIN to editors/jetbrains"))
    private val compiled = File(System.getenv("COMPILED") ?: error("set COMPILED to the directory of the platform's classes"))
    private val xml = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(File(root, "resources/META-INF/plugin.xml")).documentElement

    private fun elements(name: String) = xml.getElementsByTagName(name).let { list -> List(list.length) { list.item(it) as Element } }

    private fun attributes(vararg names: String) = elements("*").flatMap { element -> names.map(element::getAttribute) }.filter { it.isNotEmpty() }

    @Test
    fun `every class that plugin xml names is there`() {
        val named = attributes("class", "factoryClass", "instance", "implementation", "serviceImplementation")
        assertTrue("$named", named.size >= 10)
        for (name in named) assertTrue(name, File(compiled, name.replace('.', '/') + ".class").isFile)
    }

    @Test
    fun `every action is in the menu`() {
        val written = Regex("""class (\w+) : PillionAction""").findAll(File(root, "platform/src/dev/pillion/idea/Actions.kt").readText()).map { "dev.pillion.idea.${it.groupValues[1]}" }.toSet()
        assertEquals(written, elements("action").map { it.getAttribute("class") }.toSet())
        val ids = elements("action").map { it.getAttribute("id") }
        assertEquals(ids.distinct(), ids)
    }

    @Test
    fun `every picture that plugin xml names is there`() {
        val named = attributes("icon")
        assertTrue(named.isNotEmpty() && named.all { File(root, "resources$it").isFile })
        assertTrue(File(root, "resources/META-INF/pluginIcon.svg").isFile)
    }

    @Test
    fun `it is dev pillion, from 242 on, without an end`() {
        assertEquals(PLUGIN, elements("id").single().textContent)
        val versions = elements("idea-version").single()
        assertEquals("242" to "", versions.getAttribute("since-build") to versions.getAttribute("until-build"))
        assertEquals(TOOL_WINDOW, elements("toolWindow").single().getAttribute("id"))
        assertEquals("pillion", elements("notificationGroup").single().getAttribute("id"))
    }

    @Test
    fun `settings are the application's, for a project could choose the binary`() {
        val sources = File(root, "platform/src").walk().filter { it.extension == "kt" }.toList()
        val states = sources.filter { "@State(" in it.readText() }
        assertEquals(listOf("PillionSettings.kt"), states.map { it.name })
        assertTrue("Service.Level.APP" in states.single().readText() && "roamingType = RoamingType.DISABLED" in states.single().readText())
    }

    @Test
    fun `the core knows nothing of the IDE, and nothing is shipped that is a stub or a copy`() {
        val core = File(root, "core").walk().filter { it.extension == "kt" && "com.intellij" in it.readText() }.toList()
        assertEquals(emptyList<File>(), core)
        assertTrue("stubs" !in File(root, "build.gradle.kts").readText())
        assertEquals(emptyList<File>(), root.walk().filter { it.name == "Protocol.kt" }.toList())
    }
}
