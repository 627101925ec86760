package dev.pillion.idea

import com.intellij.ide.plugins.PluginManagerCore
import com.intellij.notification.NotificationGroupManager
import com.intellij.notification.NotificationType
import com.intellij.openapi.extensions.PluginId
import com.intellij.openapi.project.Project
import dev.pillion.view.html
import java.nio.file.Path

const val PLUGIN: String = "dev.pillion"

/** Where a bundled binary would be. */
fun pluginDirectory(): Path? = PluginManagerCore.getPlugin(PluginId.getId(PLUGIN))?.pluginPath

/** One sentence in a balloon. It is shown as text: a balloon's content would be HTML. */
fun tell(project: Project, text: String, type: NotificationType) {
    NotificationGroupManager.getInstance().getNotificationGroup("pillion")
        .createNotification(html(text), type)
        .notify(project)
}
