package dev.pillion.view

import dev.pillion.core.Outcome
import dev.pillion.core.RunListener
import dev.pillion.core.State
import dev.pillion.core.offers
import dev.pillion.core.words
import java.awt.BorderLayout
import java.awt.FlowLayout
import java.awt.event.ComponentAdapter
import java.awt.event.ComponentEvent
import java.util.concurrent.ConcurrentHashMap
import javax.swing.JPanel
import javax.swing.JScrollPane
import javax.swing.JTextField
import javax.swing.SwingUtilities
import pillion.ExecParams
import pillion.ExecResult
import pillion.GapEvent
import pillion.PortParams
import pillion.Stream
import pillion.Tone
import pillion.WaitingParams

/** What the tool window shows: the output of runs with their colours, how they ended, and the state of pillion. */
class RunPanel(private val palette: Palette = Palette.ofLook()) : JPanel(BorderLayout()), RunView {
    private val console = Console(palette)
    private val view = textView(console.document, palette)
    private val scroll = JScrollPane(view)

    private var refused: ExecResult? = null
    private val ports = mutableListOf<Int>()

    /** Set by the owner of the panel, before the first run. */
    lateinit var runner: Runner

    val rerun = plainButton("Rerun") { runner.rerun() }
    val retry = plainButton("Allow This Once and Run Again") { refused?.let { runner.retry(it) } }
    val stop = plainButton("Stop") { runner.stop() }
    val open = plainButton("Open Port") { ports.lastOrNull()?.let { runner.forward(it) } }
    val command = plainLabel("no command yet")
    val status = plainLabel(State.Stopped.words())
    val input = JTextField()

    init {
        val buttons = JPanel(FlowLayout(FlowLayout.LEADING, 6, 4))
        for (part in listOf(rerun, stop, open, retry)) buttons.add(part)
        val north = JPanel(BorderLayout()) // where a long command is cut, not moved out of sight
        north.add(buttons, BorderLayout.WEST)
        north.add(command, BorderLayout.CENTER)
        input.toolTipText = "Enter sends this line to the command"
        input.addActionListener { runner.type(input.text + "\n"); input.text = "" }
        val south = JPanel(BorderLayout(6, 4))
        south.add(input, BorderLayout.CENTER)
        south.add(status, BorderLayout.SOUTH)
        add(north, BorderLayout.NORTH)
        add(scroll, BorderLayout.CENTER)
        add(south, BorderLayout.SOUTH)
        enable(running = false, again = false)
        offer(null)
        listens()
        view.addComponentListener(object : ComponentAdapter() {
            override fun componentResized(e: ComponentEvent) = fits().let { (rows, columns) -> runner.resize(rows, columns) }
        })
    }

    override fun begin(params: ExecParams): RunListener {
        SwingUtilities.invokeLater {
            command.text = shown(params)
            console.say(listOf(said("$ ${shown(params)}", Tone.TITLE)))
            enable(running = true, again = false)
            offer(null)
        }
        return Listener()
    }

    override fun fits(): Pair<Int, Int> {
        val metrics = view.getFontMetrics(palette.font)
        val area = scroll.viewport.extentSize
        return Pair((area.height / metrics.height).coerceIn(10, 500), (area.width / metrics.charWidth('m') - 1).coerceIn(40, 500))
    }

    override fun say(text: String) = SwingUtilities.invokeLater {
        console.say(text.split('\n').map { said(it, Tone.DIM) })
        follow()
    }

    fun show(state: State) = SwingUtilities.invokeLater { status.text = visible(state.words()) }

    /** All its text. */
    fun text(): String = console.document.run { getText(0, length) }

    private fun enable(running: Boolean, again: Boolean) {
        stop.isEnabled = running
        input.isEnabled = running
        rerun.isEnabled = again
    }

    // A button that would give nothing is not there.
    private fun offer(result: ExecResult?) {
        refused = result?.takeIf { it.offers().isNotEmpty() }
        retry.isVisible = refused != null
    }

    private fun listens() {
        open.isVisible = ports.isNotEmpty()
        open.text = "Open Port ${ports.lastOrNull()}"
    }

    // The newest line is what matters, unless a person has scrolled away from it or holds
    // a selection.
    private fun follow() {
        if (view.selectionStart == view.selectionEnd) view.caretPosition = console.document.length
    }

    private inner class Listener : RunListener {
        private val terminals = ConcurrentHashMap<Stream, Pair<Utf8, Ansi>>()

        // Waits for the EDT, so that pillion holds back what can't be shown yet.
        override fun output(stream: Stream, bytes: ByteArray) = SwingUtilities.invokeAndWait {
            val (utf8, ansi) = terminals.getOrPut(stream) { Utf8() to Ansi(console) }
            ansi.write(utf8.decode(bytes))
            follow()
        }

        override fun missing(gap: GapEvent) = SwingUtilities.invokeAndWait {
            console.say(gap.display)
        }

        override fun waits(event: WaitingParams) = SwingUtilities.invokeAndWait {
            console.say(event.display)
            input.requestFocusInWindow()
            follow()
        }

        override fun port(event: PortParams) = SwingUtilities.invokeAndWait {
            ports.remove(event.port)
            if (event.listening && event.port < EPHEMERAL) {
                ports.add(event.port)
                console.say(listOf(said("${event.process} listens on ${event.address}:${event.port} in the sandbox.", Tone.DIM)))
            }
            listens()
            follow()
        }

        override fun ended(outcome: Outcome) = SwingUtilities.invokeAndWait {
            ports.clear()
            listens()
            console.say(report(outcome))
            enable(running = false, again = true)
            offer((outcome as? Outcome.Ended)?.result)
            follow()
        }
    }
}

/** Ports from here on are the system's: nobody has chosen them to be looked at. */
private const val EPHEMERAL = 32_768

private fun shown(params: ExecParams): String = params.command ?: params.commands?.joinToString("; ") ?: params.argv.orEmpty().joinToString(" ")
