package com.intellij.openapi.ui;

import com.intellij.openapi.project.Project;
import javax.swing.Action;
import javax.swing.JComponent;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

public abstract class DialogWrapper {
    public static final int OK_EXIT_CODE = 0;

    protected DialogWrapper(@Nullable Project project) {}

    protected abstract @Nullable JComponent createCenterPanel();

    protected native Action @NotNull [] createActions();

    public native @Nullable JComponent getPreferredFocusedComponent();

    public native String getTitle();

    public native void setTitle(String title);

    protected native void init();

    public native void show();

    public final native void close(int exitCode);

    protected native void dispose();
}
