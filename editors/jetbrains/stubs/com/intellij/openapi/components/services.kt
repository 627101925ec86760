@file:JvmName("ServiceKt")

package com.intellij.openapi.components

inline fun <reified T : Any> service(): T = throw NotImplementedError(T::class.java.name)

inline fun <reified T : Any> ComponentManager.service(): T = throw NotImplementedError(T::class.java.name)
