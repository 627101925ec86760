package com.intellij.execution.runners;

public class ExecutionEnvironment {}
