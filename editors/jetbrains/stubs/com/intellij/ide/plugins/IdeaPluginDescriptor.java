package com.intellij.ide.plugins;

import java.nio.file.Path;

public interface IdeaPluginDescriptor {
    Path getPluginPath();
}
