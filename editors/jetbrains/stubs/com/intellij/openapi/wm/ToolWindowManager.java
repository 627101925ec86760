package com.intellij.openapi.wm;

import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

public abstract class ToolWindowManager {
    public static native @NotNull ToolWindowManager getInstance(@NotNull Project project);

    public abstract @Nullable ToolWindow getToolWindow(@Nullable String id);
}
