package com.intellij.openapi.actionSystem;

import org.jetbrains.annotations.NotNull;

// AnAction of the real platform implements it; that of 2018 does not know it.
public interface ActionUpdateThreadAware {
    @NotNull ActionUpdateThread getActionUpdateThread();
}
