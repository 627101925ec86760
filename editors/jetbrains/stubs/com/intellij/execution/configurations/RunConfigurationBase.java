package com.intellij.execution.configurations;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.InvalidDataException;
import org.jdom.Element;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

public abstract class RunConfigurationBase<T> implements RunConfiguration {
    protected RunConfigurationBase(@NotNull Project project, @Nullable ConfigurationFactory factory, @Nullable String name) {}

    public final native Project getProject();

    public native void readExternal(@NotNull Element element) throws InvalidDataException;

    public native void writeExternal(@NotNull Element element);
}
