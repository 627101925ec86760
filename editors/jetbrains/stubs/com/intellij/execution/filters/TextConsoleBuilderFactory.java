package com.intellij.execution.filters;

import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.NotNull;

public abstract class TextConsoleBuilderFactory {
    public static native TextConsoleBuilderFactory getInstance();

    public abstract @NotNull TextConsoleBuilder createBuilder(@NotNull Project project);
}
