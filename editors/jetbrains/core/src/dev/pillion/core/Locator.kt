package dev.pillion.core

import java.io.File
import java.nio.file.Files
import java.nio.file.InvalidPathException
import java.nio.file.Path

/** Where a person mends what is wrong with the choice of the binary. */
const val SETTING: String = "Settings | Tools | pillion | Path to pillion"

/** pillion can't be used: one sentence that says what, where and what to do. */
class ServerProblem(override val message: String) : Exception(message)

data class Located(val path: Path, val origin: String) {
    override fun toString(): String = "$path ($origin)"
}

/**
 * Finds the binary: the setting, else the plugin's own, else PATH. Nothing of it comes from
 * a project: the setting is the application's, and of PATH only absolute entries count.
 */
class Locator(
    private val setting: String,
    private val plugin: Path?,
    private val environment: Map<String, String>,
    private val home: String = System.getProperty("user.home"),
    private val windows: Boolean = System.getProperty("os.name").startsWith("Windows"),
) {
    private val name = if (windows) "pillion.exe" else "pillion"

    fun find(): Located = if (setting.isNotBlank()) chosen(setting.trim()) else bundled() ?: onPath() ?: throw ServerProblem(
        "pillion was not found, neither in the plugin${plugin?.let { " ($it)" } ?: ""} nor on PATH; install it, or say where it is in $SETTING.",
    )

    // A choice that is wrong is not passed over: another binary would run than the one
    // that was meant.
    private fun chosen(text: String): Located {
        val expanded = if (text == "~" || text.startsWith("~/") || text.startsWith("~\\")) home + text.substring(1) else text
        val path = pathOf(expanded)
        val wrong = when {
            path == null || !path.isAbsolute -> "is no absolute path"
            !Files.exists(path) -> "does not exist"
            Files.isDirectory(path) -> "is a directory"
            !Files.isExecutable(path) -> "can't be executed"
            else -> return Located(path, "from the settings")
        }
        throw ServerProblem("$text $wrong; correct it, or leave it empty to have pillion looked for, in $SETTING.")
    }

    private fun pathOf(text: String): Path? = try {
        Path.of(text)
    } catch (_: InvalidPathException) {
        null
    }

    private fun bundled(): Located? {
        val path = plugin?.resolve("bin")?.resolve(name) ?: return null
        if (!Files.isRegularFile(path)) return null
        // Unpacking the plugin may have lost the bit.
        if (!Files.isExecutable(path)) path.toFile().setExecutable(true, true)
        return Located(path, "of the plugin")
    }

    private fun onPath(): Located? = (environment["PATH"] ?: environment["Path"] ?: "").split(File.pathSeparator)
        .filter { it.isNotEmpty() }
        .mapNotNull(::pathOf)
        .filter { it.isAbsolute }
        .map { it.resolve(name) }
        .firstOrNull { Files.isRegularFile(it) && Files.isExecutable(it) }
        ?.let { Located(it, "on PATH") }
}
