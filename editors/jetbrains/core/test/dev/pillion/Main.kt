package dev.pillion

import java.io.File
import kotlin.system.exitProcess
import org.junit.runner.Description
import org.junit.runner.JUnitCore
import org.junit.runner.Request
import org.junit.runner.notification.Failure
import org.junit.runner.notification.RunListener

/** Runs every class of the directory whose name ends in Test, and says of each test how it went. */
fun main(arguments: Array<String>) {
    val directories = arguments.map(::File)
    val classes = directories.flatMap { root ->
        root.walk().filter { it.name.endsWith("Test.class") }.map { it.relativeTo(root).path.removeSuffix(".class").replace('/', '.') }
    }.sorted().map { Class.forName(it) }
    val core = JUnitCore()
    core.addListener(Reporter)
    core.run(Request.classes(*classes.toTypedArray()))
    println("${Reporter.passed} passed, ${Reporter.failed} failed")
    exitProcess(if (Reporter.failed > 0 || Reporter.passed == 0) 1 else 0)
}

private object Reporter : RunListener() {
    var passed = 0
    var failed = 0
    private var bad = false
    private var since = 0L

    override fun testStarted(description: Description) {
        bad = false
        since = System.nanoTime()
    }

    override fun testFailure(failure: Failure) {
        if (!bad) failed++
        bad = true
        println("FAIL ${failure.description.displayName}\n${failure.trace.lines().take(25).joinToString("\n")}")
    }

    // A test that is skipped has not passed.
    override fun testAssumptionFailure(failure: Failure) = testFailure(failure)

    override fun testIgnored(description: Description) {
        failed++
        println("FAIL ${description.displayName} is ignored")
    }

    override fun testFinished(description: Description) {
        if (bad) return
        passed++
        println("ok   ${description.displayName} (${(System.nanoTime() - since) / 1_000_000} ms)")
    }
}
