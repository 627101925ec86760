package com.intellij.execution

// In Kotlin, and so compiled, because a test loads the class that implements it.
interface KillableProcess {
    fun canKillProcess(): Boolean
    fun killProcess()
}
