package com.intellij.openapi.ui;

import com.intellij.openapi.project.Project;
import javax.swing.Icon;
import org.jetbrains.annotations.Nullable;

public class Messages {
    public static native @Nullable String showInputDialog(@Nullable Project project, String message, String title, @Nullable Icon icon);
}
