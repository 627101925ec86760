package dev.pillion.core

import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean
import pillion.ApprovalParams
import pillion.ApprovalResult
import pillion.Choice

/** Puts a question to a person. */
fun interface Approver {
    fun ask(question: Question)
}

/** A question that is answered once, and with a decline by whatever goes wrong on the way. */
class Question internal constructor(val params: ApprovalParams, private val withdrawn: CompletableFuture<Unit>) {
    private val answered = AtomicBoolean()
    internal val answer = CompletableFuture<ApprovalResult>()

    fun accept() = reply(ApprovalResult(Choice.ACCEPT))

    fun acceptForSession() = reply(ApprovalResult(Choice.ACCEPT_FOR_SESSION))

    fun acceptAlways() = reply(ApprovalResult(Choice.ACCEPT_ALWAYS))

    fun edit(command: String) = reply(ApprovalResult(Choice.EDIT, command = command))

    fun decline() = reply(ApprovalResult(Choice.DECLINE))

    fun offers(decision: Choice): Boolean = decision in params.availableDecisions

    /** The command was cancelled meanwhile, or time is over: take the question away. */
    fun whenWithdrawn(action: () -> Unit) {
        withdrawn.thenRun(action)
    }

    private fun reply(result: ApprovalResult) {
        if (answered.compareAndSet(false, true)) answer.complete(result)
    }
}

internal fun Approver.put(params: ApprovalParams, withdrawn: CompletableFuture<Unit>): CompletableFuture<ApprovalResult> {
    val question = Question(params, withdrawn)
    withdrawn.thenRun(question::decline)
    try {
        ask(question)
    } catch (e: Exception) {
        question.decline()
    }
    return question.answer
}
