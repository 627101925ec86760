package dev.pillion.core

import pillion.AccessGrant
import pillion.ExecResult
import pillion.GapEvent
import pillion.PortParams
import pillion.StartedEvent
import pillion.Stream
import pillion.WaitingParams

/** How a run came to its end. */
sealed interface Outcome {
    /** A process ran. */
    data class Ended(val result: ExecResult) : Outcome

    /** pillion said no, and nothing ran. */
    data class Refused(val error: RpcError) : Outcome

    /** The sidecar is gone, and how far the command came is not known. */
    data class Interrupted(val why: String) : Outcome

    /** There was no sidecar to ask, or the person thought better of it. */
    data class NotStarted(val why: String) : Outcome
}

/** The refusals that a person can give, each once. */
fun ExecResult.offers(): List<AccessGrant> = violations.mapNotNull { it.allow }.distinct()

/** Told in order, on a thread of the run's own. While it is busy with output, pillion holds back more. */
interface RunListener {
    fun started(event: StartedEvent) = Unit
    fun output(stream: Stream, bytes: ByteArray) = Unit
    fun missing(gap: GapEvent) = Unit

    /** It waits for input, which [Run.write] answers. */
    fun waits(event: WaitingParams) = Unit

    /** It begins to listen on a port of its sandbox, which [Run.forward] opens, or ceases to. */
    fun port(event: PortParams) = Unit
    fun ended(outcome: Outcome) = Unit
}
