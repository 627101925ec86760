package com.intellij.openapi.options;

import javax.swing.JComponent;
import org.jetbrains.annotations.NotNull;

public abstract class SettingsEditor<Settings> {
    protected abstract void resetEditorFrom(@NotNull Settings settings);

    protected abstract void applyEditorTo(@NotNull Settings settings) throws ConfigurationException;

    protected abstract @NotNull JComponent createEditor();
}
