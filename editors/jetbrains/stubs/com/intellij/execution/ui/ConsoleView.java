package com.intellij.execution.ui;

import com.intellij.execution.process.ProcessHandler;
import org.jetbrains.annotations.NotNull;

public interface ConsoleView extends ExecutionConsole {
    void attachToProcess(@NotNull ProcessHandler processHandler);
}
