package com.intellij.ui.content;

import javax.swing.JComponent;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

public interface ContentFactory {
    static native @NotNull ContentFactory getInstance();

    @NotNull Content createContent(@Nullable JComponent component, @Nullable String displayName, boolean isLockable);
}
