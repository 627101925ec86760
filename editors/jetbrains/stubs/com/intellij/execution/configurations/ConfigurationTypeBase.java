package com.intellij.execution.configurations;

import javax.swing.Icon;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

public abstract class ConfigurationTypeBase implements ConfigurationType {
    protected ConfigurationTypeBase(@NotNull String id, @NotNull String displayName, @Nullable String description, @Nullable Icon icon) {}

    protected native void addFactory(@NotNull ConfigurationFactory factory);
}
