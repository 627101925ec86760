package com.intellij.ide.plugins;

import com.intellij.openapi.extensions.PluginId;
import org.jetbrains.annotations.Nullable;

public final class PluginManagerCore {
    public static native @Nullable IdeaPluginDescriptor getPlugin(@Nullable PluginId id);
}
