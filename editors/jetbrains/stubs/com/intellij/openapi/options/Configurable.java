package com.intellij.openapi.options;

import javax.swing.JComponent;
import org.jetbrains.annotations.Nullable;

public interface Configurable {
    String getDisplayName();

    @Nullable JComponent createComponent();

    boolean isModified();

    void apply() throws ConfigurationException;

    default void reset() {}
}
