package com.intellij.ui.content;

import org.jetbrains.annotations.NotNull;

public interface ContentManager {
    void addContent(@NotNull Content content);
}
