package com.intellij.execution.runners;

public interface ProgramRunner<Settings> {}
