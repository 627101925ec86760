package dev.pillion.core

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import dev.pillion.Recorder
import dev.pillion.World
import dev.pillion.end
import dev.pillion.eventually
import java.io.File
import java.security.MessageDigest
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeUnit
import org.junit.AfterClass
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.junit.runners.Parameterized
import pillion.Choice
import pillion.InitializationOptions

/** The script that every client's core must pass: one session, its cases in their order. */
@RunWith(Parameterized::class)
class ConformanceTest(@Suppress("unused") private val name: String, private val case: JsonObject) {
    private val expect = case["expect"].asJsonObject
    private val output = Recorder()

    @Test
    fun conformance() {
        asked.clear()
        answers.addAll((case["answers"] as? JsonArray).orEmpty())
        val run = world.client.run(case["exec"].asJsonObject, output)
        for (step in (case["steps"] as? JsonArray).orEmpty()) perform(step.asJsonObject, run)
        val outcome = run.end()
        judge(outcome)
        expect["shown"]?.let { shows(outcome, it.asJsonArray.map { text -> text.asString }) }
        compareOutput()
        expect["asked"]?.asJsonArray?.let { wanted ->
            assertEquals("questions", wanted.size(), asked.size)
            wanted.zip(asked).forEach { (want, got) -> contains("question", want, got) }
        }
    }

    private fun perform(step: JsonObject, run: Run) {
        run.started.get(60, TimeUnit.SECONDS)
        val text = step["when"].asString
        if (text != "started") eventually("$text in the output") { text in output.all() }
        step["write"]?.let { run.write(it.asString).get(60, TimeUnit.SECONDS) }
        if (step["close"]?.asBoolean == true) run.closeInput().get(60, TimeUnit.SECONDS)
        step["resize"]?.asJsonObject?.let { run.resize(it["rows"].asInt, it["cols"].asInt).get(60, TimeUnit.SECONDS) }
        if (step["cancel"]?.asBoolean == true) run.cancel()
        if (step["kill"]?.asBoolean == true) world.client.process()!!.destroyForcibly()
    }

    private fun judge(outcome: Outcome) {
        when (outcome) {
            is Outcome.Ended -> contains("result", expect["result"] ?: throw AssertionError("a result: ${outcome.result}"), tree(outcome.result))
            is Outcome.Refused -> {
                val error = JsonObject().apply { addProperty("code", outcome.error.code); add("data", outcome.error.data) }
                contains("error", expect["error"] ?: throw AssertionError("an error: ${outcome.error.message}"), error)
                expect["rules"]?.let { assertEquals(it.asJsonArray.map { rule -> rule.asString }, outcome.error.verdict!!.findings.map { f -> f.ruleId }) }
            }
            is Outcome.Interrupted -> assertTrue("interrupted: ${outcome.why}", expect["interrupted"]?.asBoolean == true)
            is Outcome.NotStarted -> throw AssertionError(outcome.why)
        }
    }

    private fun shows(outcome: Outcome, texts: List<String>) {
        val from = when (outcome) {
            is Outcome.Ended -> tree(outcome.result)
            is Outcome.Refused -> outcome.error.data
            else -> null
        } as JsonObject
        val shown = from["display"].asJsonArray.joinToString("\n") { it.asJsonObject["text"].asString }
        texts.fold(0) { at, text -> shown.indexOf(text, at).also { assertTrue("$text is not shown in\n$shown", it >= 0) } }
    }

    private fun compareOutput() {
        for ((stream, text) in (expect["text"] as? JsonObject)?.entrySet().orEmpty()) assertEquals(stream, text.asString, String(output.bytes(stream)))
        for ((stream, sum) in (expect["sha256"] as? JsonObject)?.entrySet().orEmpty()) {
            assertEquals(stream, sum.asString, MessageDigest.getInstance("SHA-256").digest(output.bytes(stream)).joinToString("") { "%02x".format(it) })
        }
    }

    companion object {
        private val lines = File(System.getenv("CONFORMANCE") ?: error("set CONFORMANCE to conformance.jsonl")).readLines().filter { it.isNotBlank() }.map { JsonParser.parseString(it).asJsonObject }
        private val answers = ConcurrentLinkedQueue<JsonElement>()
        private val asked = ConcurrentLinkedQueue<JsonElement>()
        private val world by lazy { World(lines.first()["session"].asJsonObject["initializationOptions"].to<InitializationOptions>(), ::answer) }

        @JvmStatic
        @Parameterized.Parameters(name = "{0}")
        fun cases(): List<Array<Any>> = lines.drop(1).map { arrayOf(it["name"].asString, it) }

        @JvmStatic
        @AfterClass
        fun close() = world.close()

        private fun answer(question: Question) {
            asked.add(tree(question.params))
            val answer = answers.poll()?.asJsonObject ?: return question.decline()
            when (answer["decision"].to<Choice>()) {
                Choice.ACCEPT -> question.accept()
                Choice.ACCEPT_FOR_SESSION -> question.acceptForSession()
                Choice.EDIT -> question.edit(answer["command"].asString)
                else -> question.decline()
            }
        }

        private fun contains(where: String, want: JsonElement, got: JsonElement?) {
            when {
                want is JsonObject && got is JsonObject -> for ((name, value) in want.entrySet()) contains("$where.$name", value, got[name])
                want is JsonArray && got is JsonArray -> {
                    assertEquals("$where: how many", want.size(), got.size())
                    want.forEachIndexed { index, value -> contains("$where[$index]", value, got[index]) }
                }
                else -> assertEquals(where, want, got)
            }
        }
    }
}

private fun JsonArray?.orEmpty(): JsonArray = this ?: JsonArray()
