package dev.pillion.idea

import com.intellij.ide.impl.isTrusted
import com.intellij.notification.NotificationType
import com.intellij.openapi.Disposable
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.components.Service
import com.intellij.openapi.components.service
import com.intellij.openapi.project.Project
import com.intellij.openapi.roots.ProjectRootManager
import dev.pillion.core.Client
import dev.pillion.core.ClientListener
import dev.pillion.core.Run
import dev.pillion.core.RunListener
import dev.pillion.core.State
import dev.pillion.view.RunPanel
import dev.pillion.view.Runner
import java.nio.file.Path
import pillion.ExecParams
import pillion.WorkspaceFolder

/** The sidecar of one project, with what shows it. It is started by the first command. */
@Service(Service.Level.PROJECT)
class PillionService(private val project: Project) : Disposable, ClientListener {
    val client: Client = Client({ PillionSettings.get().core() }, folders(), DialogApprover(project), this)

    /** Made on the EDT, by the tool window or by the first command. */
    val panel: RunPanel by lazy { RunPanel() }

    val runner: Runner by lazy { Runner(client, panel, ::allowed).also { panel.runner = it } }

    /** Every run asks here first: nothing runs of a project that is not trusted. */
    private fun allowed(): Boolean {
        if (!project.isTrusted()) {
            tell(project, "This project is not trusted, so pillion runs nothing of it; trust it first (Find Action: Trust Project).", NotificationType.WARNING)
            return false
        }
        client.open(folders())
        return true
    }

    fun run(params: ExecParams, listener: RunListener): Run? = if (allowed()) client.run(params, listener) else null

    override fun state(state: State) {
        ApplicationManager.getApplication().invokeLater({ panel.show(state) }, project.disposed)
        if (state is State.Failed) tell(project, state.why, NotificationType.ERROR)
    }

    override fun message(type: Int, text: String) {
        tell(project, text, if (type == 1) NotificationType.ERROR else if (type == 2) NotificationType.WARNING else NotificationType.INFORMATION)
    }

    /** Ends the sidecar and everything it runs; doesn't wait for it. */
    override fun dispose() = client.close()

    // Of roots that lie in each other the outer one is enough.
    private fun folders(): List<WorkspaceFolder> {
        val roots = listOfNotNull(project.basePath) + ProjectRootManager.getInstance(project).contentRoots.map { it.path }
        val paths = roots.map { Path.of(it) }.distinct()
        return paths.filter { path -> paths.none { it != path && path.startsWith(it) } }.map { WorkspaceFolder(it.toUri().toString(), "${it.fileName}") }
    }

    companion object {
        fun of(project: Project): PillionService = project.service()
    }
}
