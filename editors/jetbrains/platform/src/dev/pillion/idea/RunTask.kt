package dev.pillion.idea

import com.intellij.openapi.progress.ProgressIndicator
import com.intellij.openapi.progress.Task
import com.intellij.openapi.project.Project
import dev.pillion.core.Run
import dev.pillion.core.follow

/** A run in the status bar, whose cross cancels it. */
class RunTask(project: Project, private val running: Run) : Task.Backgroundable(project, "pillion: ${"$running".take(60)}", true) {
    override fun run(indicator: ProgressIndicator) {
        indicator.isIndeterminate = true
        running.follow(indicator::isCanceled)
    }
}
