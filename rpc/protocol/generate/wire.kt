/** A member that may be null besides being absent: null here is absent, Maybe(null) is null. */
data class Maybe<out T>(val value: T?)

/** A member that is there even if it is null. */
@Target(AnnotationTarget.FIELD)
@Retention(AnnotationRetention.RUNTIME)
annotation class Present

/** A word of a closed list. */
interface Word {
    /** as it is on the wire */
    val word: String
}

/** Makes Gson write and read what this file declares: the server refuses a null where a member should be absent. */
fun wire(builder: GsonBuilder): GsonBuilder = builder.registerTypeAdapterFactory(Wire)

private object Wire : TypeAdapterFactory {
    override fun <T> create(gson: Gson, type: TypeToken<T>): TypeAdapter<T>? {
        val raw: Class<in T> = type.rawType
        @Suppress("UNCHECKED_CAST")
        return when {
            raw == Maybe::class.java -> MaybeAdapter(gson.getAdapter(TypeToken.get((type.type as ParameterizedType).actualTypeArguments[0])))
            Word::class.java.isAssignableFrom(raw) -> WordAdapter(raw.enumConstants as Array<out Word>)
            raw in unions -> UnionAdapter(gson, unions.getValue(raw))
            raw.packageName == Wire::class.java.packageName && !raw.isInterface -> ObjectAdapter(gson, gson.getDelegateAdapter(this, type), raw)
            else -> null
        } as TypeAdapter<T>?
    }
}

private class MaybeAdapter<T>(private val inner: TypeAdapter<T>) : TypeAdapter<Maybe<T>>() {
    override fun write(out: JsonWriter, value: Maybe<T>?) {
        if (value?.value == null) out.nullValue() else inner.write(out, value.value)
    }

    override fun read(reader: JsonReader): Maybe<T> {
        if (reader.peek() != JsonToken.NULL) return Maybe(inner.read(reader))
        reader.nextNull()
        return Maybe(null)
    }
}

private class WordAdapter(private val words: Array<out Word>) : TypeAdapter<Word>() {
    override fun write(out: JsonWriter, value: Word?) {
        require(value?.word != "") { "a word of a newer server can't be sent" }
        out.value(value?.word)
    }

    override fun read(reader: JsonReader): Word? {
        if (reader.peek() == JsonToken.NULL) return null.also { reader.nextNull() }
        val text = reader.nextString()
        return words.firstOrNull { it.word == text } ?: words.last()
    }
}

private class UnionAdapter(private val gson: Gson, private val cases: List<Case>) : TypeAdapter<Any>() {
    override fun write(out: JsonWriter, value: Any?) {
        if (value == null) out.nullValue() else gson.toJson(value, value.javaClass, out)
    }

    override fun read(reader: JsonReader): Any? {
        val tree: JsonElement = gson.fromJson(reader, JsonElement::class.java)
        val members = tree as? JsonObject ?: return null
        val case = cases.firstOrNull { (members.get(it.member) as? JsonPrimitive)?.asString in it.values }
        return case?.let { gson.fromJson(tree, it.type as Type) }
    }
}

private class Case(val type: Class<*>, val member: String, val values: List<String>)

private class ObjectAdapter<T>(gson: Gson, private val inner: TypeAdapter<T>, type: Class<in T>) : TypeAdapter<T>() {
    private val elements = gson.getAdapter(JsonElement::class.java)
    private val absent = type.declaredFields.filter { !it.isSynthetic && !it.isAnnotationPresent(Present::class.java) }.onEach { it.isAccessible = true }

    override fun write(out: JsonWriter, value: T?) {
        if (value == null) {
            out.nullValue()
            return
        }
        val tree = inner.toJsonTree(value).asJsonObject
        for (field in absent) {
            if (field.get(value) == null) tree.remove(field.getAnnotation(SerializedName::class.java)?.value ?: field.name)
        }
        val before = out.serializeNulls
        out.serializeNulls = true
        elements.write(out, tree)
        out.serializeNulls = before
    }

    override fun read(reader: JsonReader): T? = inner.read(reader)
}
