package dev.pillion.idea

import com.intellij.openapi.components.PersistentStateComponent
import com.intellij.openapi.components.RoamingType
import com.intellij.openapi.components.Service
import com.intellij.openapi.components.State
import com.intellij.openapi.components.Storage
import com.intellij.openapi.components.service
import com.intellij.util.EnvironmentUtil
import com.intellij.util.xmlb.XmlSerializerUtil
import dev.pillion.core.Settings
import pillion.InitializationOptions
import pillion.LimitOptions
import pillion.Mode
import pillion.Network
import pillion.SandboxOptions
import pillion.TraceValue
import pillion.Word

/**
 * What a person has set. It belongs to the application, and to this machine: were it the
 * project's, the authors of a repository could choose the binary or the sandbox.
 */
@Service(Service.Level.APP)
@State(name = "dev.pillion", storages = [Storage(value = "pillion.xml", roamingType = RoamingType.DISABLED)])
class PillionSettings : PersistentStateComponent<PillionSettings> {
    // Fields that the platform writes and reads; "" is pillion's own default.
    var path: String = ""
    var profile: String = ""
    var mode: String = ""
    var network: String = ""
    var timeoutSeconds: Int = 0
    var trace: String = "off"

    override fun getState(): PillionSettings = this

    override fun loadState(state: PillionSettings) = XmlSerializerUtil.copyBean(state, this)

    fun core(): Settings = Settings(
        path = path,
        plugin = pluginDirectory(),
        // On macOS the environment of the IDE is not that of the person's shell.
        environment = EnvironmentUtil.getEnvironmentMap(),
        trace = TraceValue.entries.chosen(trace) ?: TraceValue.OFF,
        options = InitializationOptions(
            profile = profile.ifEmpty { null },
            sandbox = SandboxOptions(mode = Mode.entries.chosen(mode), network = Network.entries.chosen(network)),
            limits = if (timeoutSeconds > 0) LimitOptions(timeoutMs = timeoutSeconds * 1000L) else null,
        ),
    )

    companion object {
        fun get(): PillionSettings = service()
    }
}

/** None of "", which is pillion's own default. */
private fun <T : Word> List<T>.chosen(word: String): T? = firstOrNull { it.word == word && word.isNotEmpty() }
