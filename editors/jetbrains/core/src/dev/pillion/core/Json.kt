package dev.pillion.core

import com.google.gson.Gson
import com.google.gson.GsonBuilder
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import pillion.wire

/** Reads and writes the generated types. */
internal val types: Gson = wire(GsonBuilder().disableHtmlEscaping()).create()

/** Writes a tree as it is: a null in it means something. */
internal val trees: Gson = GsonBuilder().disableHtmlEscaping().serializeNulls().create()

fun tree(value: Any): JsonElement = types.toJsonTree(value)

inline fun <reified T> JsonElement.to(): T = fromTree(this, T::class.java)

fun <T> fromTree(tree: JsonElement, type: Class<T>): T =
    types.fromJson(tree, type) ?: throw IllegalArgumentException("pillion answered with nothing where a ${type.simpleName} belongs")

internal fun members(vararg pairs: Pair<String, JsonElement?>): JsonObject =
    JsonObject().apply { for ((name, value) in pairs) if (value != null) add(name, value) }
