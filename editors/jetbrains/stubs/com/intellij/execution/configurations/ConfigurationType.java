package com.intellij.execution.configurations;

public interface ConfigurationType {}
