package com.intellij.notification;

import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.Nullable;

public class Notification {
    public native void notify(@Nullable Project project);
}
