package dev.pillion.core

import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException
import pillion.ErrorKind
import pillion.UnsupportedProtocolData

private val VERSION = Regex("""pillion (\S+)( .*)?""")
private const val SECONDS = 10L

/** What the program says it is. Other programs of that name are recognised before they are spoken to. */
fun versionOf(server: Located, environment: Map<String, String>): String {
    val said = ask(server, environment)
    return VERSION.matchEntire(said.trim())?.groupValues?.get(1)
        ?: throw ServerProblem("$server is not pillion: asked for its version it said \"${said.trim().take(60)}\"; choose another program in $SETTING.")
}

private fun ask(server: Located, environment: Map<String, String>): String {
    val process = try {
        ProcessBuilder(server.path.toString(), "version").redirectErrorStream(true).apply { environment().apply { clear(); putAll(environment) } }.start()
    } catch (e: IOException) {
        throw ServerProblem("$server could not be started (${e.message}); choose another program in $SETTING.")
    }
    process.outputStream.close()
    val said = CompletableFuture.supplyAsync { String(process.inputStream.readNBytes(4096)) }
    try {
        return said.get(SECONDS, TimeUnit.SECONDS)
    } catch (_: TimeoutException) {
        throw ServerProblem("$server did not say its version within $SECONDS s; choose another program in $SETTING.")
    } finally {
        process.destroyForcibly() // it has ended, or has more to say than a version
    }
}

/** The sentence for a server that answered `initialize` with an error. */
fun refusal(server: Located, version: String, required: Int, error: Throwable): ServerProblem {
    if (error is ConnectionClosed) return ServerProblem("pillion $version at $server ended before it answered; see Tools | pillion | Show Log, or choose another program in $SETTING.")
    val data = (error as? RpcError)?.takeIf { it.kind == ErrorKind.UNSUPPORTED_PROTOCOL_VERSION }?.data?.to<UnsupportedProtocolData>()
        ?: return ServerProblem("pillion $version at $server refused this session: ${error.message}; see $SETTING and the settings below it.")
    return wrongProtocol(server, version, data.supported.joinToString(" and "), required)
}

fun wrongProtocol(server: Located, version: String, found: String, required: Int): ServerProblem = ServerProblem(
    "pillion $version at $server speaks protocol $found, and this plugin needs $required; choose one that fits in $SETTING.",
)
