package dev.pillion

import dev.pillion.core.Approver
import dev.pillion.core.Client
import dev.pillion.core.ClientListener
import dev.pillion.core.Outcome
import dev.pillion.core.Question
import dev.pillion.core.Run
import dev.pillion.core.RunListener
import dev.pillion.core.Settings
import dev.pillion.core.State
import java.io.ByteArrayOutputStream
import java.nio.file.Files
import java.nio.file.Path
import java.util.Collections
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit
import pillion.ExecParams
import pillion.InitializationOptions
import pillion.Stream
import pillion.WorkspaceFolder

/** The real binary, with a home, a workspace and a client of its own. */
class World(options: InitializationOptions = InitializationOptions(), private val approver: Approver = Approver { it.decline() }, change: Settings.() -> Settings = { this }) : AutoCloseable {
    val root: Path = Files.createTempDirectory("pillion-jetbrains-").toRealPath()
    val workspace: Path = Files.createDirectory(root.resolve("ws"))
    val states: MutableList<State> = Collections.synchronizedList(mutableListOf())
    val questions: MutableList<Question> = Collections.synchronizedList(mutableListOf())

    @Volatile
    var watch: (State) -> Unit = {}

    @Volatile
    var settings: Settings = Settings(path = binary, environment = environment(root), options = options).change()

    val client: Client = Client({ settings }, listOf(folder(workspace)), { questions.add(it); approver.ask(it) }, object : ClientListener {
        override fun state(state: State) {
            states.add(state)
            watch(state)
        }
    })

    fun run(command: String, listener: RunListener = object : RunListener {}): Run = client.run(ExecParams(command = command), listener)

    override fun close() {
        val process = client.process()
        client.close()
        process?.onExit()?.get(20, TimeUnit.SECONDS)
        root.toFile().deleteRecursively()
    }

    companion object {
        val binary: String = System.getenv("PILLION_BIN") ?: error("set PILLION_BIN to the built binary")

        fun environment(root: Path): Map<String, String> = mapOf(
            "PATH" to System.getenv("PATH"), "HOME" to "$root", "LANG" to "C.UTF-8",
            "XDG_CACHE_HOME" to "$root/cache", "XDG_STATE_HOME" to "$root/state",
        )

        fun folder(path: Path): WorkspaceFolder = WorkspaceFolder("file://$path", path.fileName.toString())
    }
}

/** Keeps what a run said. */
class Recorder : RunListener {
    private val streams = ConcurrentHashMap<String, ByteArrayOutputStream>()

    override fun output(stream: Stream, bytes: ByteArray) = synchronized(this) { streams.getOrPut(stream.word, ::ByteArrayOutputStream).write(bytes) }

    fun bytes(stream: String): ByteArray = synchronized(this) { streams[stream]?.toByteArray() ?: ByteArray(0) }

    fun all(): String = listOf("stdout", "stderr", "pty").joinToString("") { String(bytes(it)) }
}

fun Run.end(): Outcome = outcome.get(60, TimeUnit.SECONDS)

fun eventually(what: String, condition: () -> Boolean) {
    val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60)
    while (!condition()) {
        if (System.nanoTime() > end) throw AssertionError("not within 60 s: $what")
        Thread.sleep(5)
    }
}
