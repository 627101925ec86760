package dev.pillion.idea

import com.intellij.util.xmlb.XmlSerializer
import org.junit.Assert.assertEquals
import org.junit.Test

/** The parts of the layer that classes of 2018 are enough for. */
class PlatformTest {
    @Test
    fun `a bundled binary is looked for beside the plugin's own classes`() {
        val compiled = java.nio.file.Path.of(System.getenv("COMPILED"))
        assertEquals(compiled.parent.parent, pluginDirectory())
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
