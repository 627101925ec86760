// Reads every value of types.jsonl into its generated type and writes it again; what
// comes out must be what went in.
import com.google.gson.GsonBuilder
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import com.google.gson.JsonPrimitive
import java.io.File
import kotlin.system.exitProcess
import pillion.ExecParams
import pillion.Maybe
import pillion.OutputEvent
import pillion.ProgressParams
import pillion.wire

val gson = wire(GsonBuilder().disableHtmlEscaping()).create()

fun written(value: Any): JsonElement = JsonParser.parseString(gson.toJson(value))

fun check(name: String, got: Any?, want: Any?): Int {
    if (got == want) return 0
    println("$name:\n got $got\nwant $want")
    return 1
}

fun main(args: Array<String>) {
    var wrong = 0
    val lines = File(args[0]).readLines()
    for (line in lines) {
        val golden = JsonParser.parseString(line) as JsonObject
        val name = golden["type"].asString
        val value: Any = gson.fromJson(golden["value"], Class.forName("pillion.$name"))
        wrong += check(name, written(value), golden["value"])
    }
    // What a client of its own writes: null where it means something, and nothing
    // where a member was not said.
    val params = ExecParams(command = "ls", env = mapOf("HOME" to null), timeoutMs = Maybe(null), partialResultToken = JsonPrimitive(7))
    wrong += check("ExecParams", gson.toJson(params), """{"command":"ls","env":{"HOME":null},"timeoutMs":null,"partialResultToken":7}""")
    val progress = gson.fromJson("""{"token":"t","value":{"type":"output","seq":0,"stream":"stdout","offset":0,"length":2,"text":"hi"}}""", ProgressParams::class.java)
    wrong += check("a member of a union", (progress.value as? OutputEvent)?.text, "hi")
    // What a newer server sends besides is passed over.
    wrong += check("another event", gson.fromJson("""{"token":"t","value":{"type":"new"},"more":1}""", ProgressParams::class.java).value as Any?, null)
    println("${lines.size} values of Kotlin types, $wrong wrong")
    if (wrong > 0 || lines.isEmpty()) exitProcess(1)
}
