package com.intellij.notification;

import org.jetbrains.annotations.NotNull;

public final class NotificationGroup {
    public native @NotNull Notification createNotification(@NotNull String content, @NotNull NotificationType type);
}
