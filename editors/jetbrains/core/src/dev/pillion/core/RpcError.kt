package dev.pillion.core

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import pillion.DisplayLine
import pillion.ErrorData
import pillion.ErrorKind
import pillion.GuardVerdict

/** A request was answered with an error: no process was started by it. */
class RpcError(val code: Int, override val message: String, val data: JsonObject?) : Exception(message) {
    /** The code as a word. */
    val kind: ErrorKind? get() = data?.to<ErrorData>()?.kind

    /** For a person, where a command was asked for. */
    val display: List<DisplayLine>? get() = data?.to<ErrorData>()?.display

    /** What the guard had to say, if it was the guard. */
    val verdict: GuardVerdict? get() = data?.get("verdict")?.to<GuardVerdict>()

    companion object {
        fun of(error: JsonElement): RpcError {
            val members = error as? JsonObject ?: return RpcError(0, "pillion answered with something that is not an error: $error", null)
            return RpcError(members["code"]?.asInt ?: 0, members["message"]?.asString ?: "", members["data"] as? JsonObject)
        }
    }
}

/** The sidecar is gone. Its requests have no answer. */
class ConnectionClosed(message: String) : Exception(message)
