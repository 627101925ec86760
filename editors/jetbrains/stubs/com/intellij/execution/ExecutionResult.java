package com.intellij.execution;

public interface ExecutionResult {}
