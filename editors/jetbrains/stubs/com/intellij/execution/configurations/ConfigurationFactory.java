package com.intellij.execution.configurations;

import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.NotNull;

public abstract class ConfigurationFactory {
    protected ConfigurationFactory(@NotNull ConfigurationType type) {}

    public native @NotNull String getId();

    public abstract @NotNull RunConfiguration createTemplateConfiguration(@NotNull Project project);
}
