package dev.pillion.idea

import com.intellij.openapi.progress.ProgressIndicator
import com.intellij.openapi.progress.Task
import com.intellij.openapi.project.Project
import dev.pillion.core.Run
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException

/** A run in the status bar, whose cross cancels it. A run that is over soon is not worth a flicker. */
class RunTask(project: Project?, private val running: Run) : Task.Backgroundable(project, "pillion: ${"$running".take(60)}", true) {
    override fun run(indicator: ProgressIndicator) {
        indicator.isIndeterminate = true
        var asked = false
        while (!ended()) {
            if (indicator.isCanceled && !asked) running.cancel()
            asked = asked || indicator.isCanceled
        }
    }

    private fun ended(): Boolean = try {
        running.outcome.get(100, TimeUnit.MILLISECONDS)
        true
    } catch (_: TimeoutException) {
        false
    }
}
