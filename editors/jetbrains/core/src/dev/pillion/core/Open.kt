package dev.pillion.core

import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException
import pillion.ClientCapabilities
import pillion.ClientInfo
import pillion.ExecCapabilities
import pillion.GeneralCapabilities
import pillion.InitializeParams
import pillion.InitializeResult
import pillion.Maybe
import pillion.SCHEMA_HASH
import pillion.ShowMessageCapabilities
import pillion.WindowCapabilities
import pillion.WorkspaceCapabilities
import pillion.WorkspaceFolder

private const val SECONDS = 60L

/** Finds, starts and greets a sidecar; ServerProblem if any of that fails. */
internal fun opened(settings: Settings, folders: List<WorkspaceFolder>, owner: Owner): Pair<Session, State.Ready> {
    val server = Locator(settings.path, settings.plugin, settings.environment).find()
    val version = versionOf(server, settings.environment)
    val session = Session(server, settings, owner)
    try {
        val result = greet(session, greeting(settings, folders), version, settings.protocol)
        if (result.serverInfo.schemaHash != SCHEMA_HASH) owner.log.add("$server has other types than this plugin was made with; what both know works.")
        session.connection.notify("initialized", members())
        return session to State.Ready(server, result)
    } catch (e: Exception) {
        session.close()
        throw e
    }
}

private fun greet(session: Session, params: InitializeParams, version: String, required: Int): InitializeResult {
    val answer = try {
        session.connection.request("initialize", tree(params)).get(SECONDS, TimeUnit.SECONDS)
    } catch (e: ExecutionException) {
        throw refusal(session.server, version, required, e.cause ?: e)
    } catch (_: TimeoutException) {
        throw ServerProblem("pillion $version at ${session.server} did not answer within $SECONDS s; choose another program in $SETTING.")
    }
    val result = answer.to<InitializeResult>()
    if (result.protocolVersion != required) throw wrongProtocol(session.server, version, "${result.protocolVersion}", required)
    return result
}

private fun greeting(settings: Settings, folders: List<WorkspaceFolder>) = InitializeParams(
    processId = ProcessHandle.current().pid().toInt(),
    clientInfo = ClientInfo("pillion for JetBrains IDEs"),
    workspaceFolders = Maybe(folders),
    trace = settings.trace,
    capabilities = ClientCapabilities(
        general = GeneralCapabilities(listOf("utf-16")),
        workspace = WorkspaceCapabilities(workspaceFolders = true),
        window = WindowCapabilities(showMessage = Maybe(ShowMessageCapabilities())),
        exec = ExecCapabilities(approval = true, grants = true, ack = true, events = listOf("waiting", "port")),
    ),
    initializationOptions = Maybe(settings.options.copy(protocolVersion = settings.protocol)),
)
