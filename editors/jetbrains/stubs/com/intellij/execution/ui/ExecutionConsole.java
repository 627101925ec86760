package com.intellij.execution.ui;

public interface ExecutionConsole {}
