package dev.pillion.idea

import com.intellij.execution.KillableProcess
import com.intellij.execution.process.ProcessHandler
import com.intellij.execution.process.ProcessOutputTypes
import dev.pillion.core.Outcome
import dev.pillion.core.Run
import dev.pillion.core.RunListener
import dev.pillion.view.Stripped
import dev.pillion.view.Utf8
import dev.pillion.view.report
import java.io.OutputStream
import java.util.concurrent.ConcurrentHashMap
import pillion.DisplayLine
import pillion.ExecParams
import pillion.GapEvent
import pillion.Stream
import pillion.WaitingParams

/** A run, as the Run tool window knows processes: Stop cancels, the console shows its text. */
class PillionProcessHandler(private val params: ExecParams, private val start: (ExecParams, RunListener) -> Run?) : ProcessHandler(), RunListener, KillableProcess {
    private val decoders = ConcurrentHashMap<Stream, Pair<Utf8, Stripped>>()
    private var run: Run? = null

    // Not before: the first output would be lost.
    override fun startNotify() {
        super.startNotify()
        run = start(params, this)
        if (run == null) notifyProcessTerminated(NOT_STARTED)
    }

    override fun output(stream: Stream, bytes: ByteArray) {
        val (utf8, stripped) = decoders.getOrPut(stream) { Utf8() to Stripped() }
        notifyTextAvailable(stripped.strip(utf8.decode(bytes)), if (stream == Stream.STDERR) ProcessOutputTypes.STDERR else ProcessOutputTypes.STDOUT)
    }

    override fun missing(gap: GapEvent) = say(gap.display)

    override fun waits(event: WaitingParams) = say(event.display)

    private fun say(lines: List<DisplayLine>) {
        for (line in lines) notifyTextAvailable("${line.text}\n", ProcessOutputTypes.SYSTEM)
    }

    override fun ended(outcome: Outcome) {
        say(report(outcome))
        notifyProcessTerminated((outcome as? Outcome.Ended)?.result?.let { it.exitCode ?: SIGNALLED } ?: NOT_STARTED)
    }

    // Asks; pressing Stop again is killProcess.
    override fun destroyProcessImpl() {
        run?.cancel()
    }

    override fun canKillProcess(): Boolean = true

    override fun killProcess() = destroyProcessImpl()

    override fun detachProcessImpl() = destroyProcessImpl()

    override fun detachIsDefault(): Boolean = false

    override fun getProcessInput(): OutputStream = object : OutputStream() {
        private val utf8 = Utf8()

        override fun write(byte: Int) = write(byteArrayOf(byte.toByte()), 0, 1)

        override fun write(bytes: ByteArray, offset: Int, length: Int) {
            val text = utf8.decode(bytes.copyOfRange(offset, offset + length))
            if (text.isNotEmpty()) run?.write(text)
        }
    }

    private companion object {
        const val NOT_STARTED = 125 // as with `pillion exec`
        const val SIGNALLED = 130
    }
}
