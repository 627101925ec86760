package dev.pillion.core

import java.nio.file.Path
import pillion.InitializationOptions
import pillion.InitializeResult
import pillion.PROTOCOL_VERSION
import pillion.TraceValue

/** The editor's part of the client. All of it is the person's, and the project has no part in it. */
data class Settings(
    val path: String = "",
    val plugin: Path? = null,
    val environment: Map<String, String> = System.getenv(),
    val options: InitializationOptions = InitializationOptions(),
    val trace: TraceValue = TraceValue.OFF,
    /** Another one than the generated types have is for tests. */
    val protocol: Int = PROTOCOL_VERSION,
)

sealed interface State {
    object Stopped : State

    object Starting : State

    data class Ready(val server: Located, val session: InitializeResult) : State

    /** The sidecar ended by itself and is started again. */
    data class Waiting(val why: String, val delayMs: Long) : State

    /** It is not started again by itself. */
    data class Failed(val why: String) : State
}

/** What the sandbox gives by default, in few words. */
fun State.words(): String = when (this) {
    State.Stopped -> "pillion: not started"
    State.Starting -> "pillion: starting"
    is State.Ready -> "pillion ${session.serverInfo.version}: ${sandbox()}"
    is State.Waiting -> "pillion: $why; starts again in ${"%.1f".format(java.util.Locale.ROOT, delayMs / 1000.0)} s"
    is State.Failed -> "pillion: $why"
}

private fun State.Ready.sandbox(): String {
    val report = session.capabilities.sandbox
    val missing = report.degraded.joinToString { it.feature }
    return "sandbox ${report.rung}" + if (missing.isEmpty()) "" else ", without $missing"
}
