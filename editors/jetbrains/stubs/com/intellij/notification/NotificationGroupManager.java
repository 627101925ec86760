package com.intellij.notification;

import org.jetbrains.annotations.NotNull;

public interface NotificationGroupManager {
    static native @NotNull NotificationGroupManager getInstance();

    NotificationGroup getNotificationGroup(@NotNull String groupId);
}
