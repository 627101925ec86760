package dev.pillion.idea

import com.intellij.notification.NotificationGroupManager
import com.intellij.notification.NotificationType
import com.intellij.openapi.application.PathManager
import com.intellij.openapi.project.Project
import dev.pillion.view.html
import java.nio.file.Path

const val PLUGIN: String = "dev.pillion"

/** Where the plugin lies, with bin/ for a bundled binary beside the lib/ of this class. */
fun pluginDirectory(): Path? = PathManager.getJarPathForClass(PillionService::class.java)?.let { Path.of(it).parent?.parent }

/** One sentence in a balloon. It is shown as text: a balloon's content would be HTML. */
fun tell(project: Project, text: String, type: NotificationType) {
    NotificationGroupManager.getInstance().getNotificationGroup("pillion")
        .createNotification(html(text), type)
        .notify(project)
}
