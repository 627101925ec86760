package com.intellij.openapi.wm;

import com.intellij.ui.content.ContentManager;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

public interface ToolWindow {
    @NotNull ContentManager getContentManager();

    void activate(@Nullable Runnable runnable);
}
