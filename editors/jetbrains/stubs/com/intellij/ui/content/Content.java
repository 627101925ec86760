package com.intellij.ui.content;

public interface Content {}
