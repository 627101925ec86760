// Swing reads a text that begins with <html> as HTML, also in labels and buttons. What a
// command or pillion says must not be read so.
package dev.pillion.view

import java.awt.Font
import javax.swing.JButton
import javax.swing.JComponent
import javax.swing.JLabel
import javax.swing.JTextPane
import javax.swing.text.StyledDocument

fun plainLabel(text: String = ""): JLabel = JLabel().plain().apply { this.text = text }

fun plainButton(text: String, action: () -> Unit): JButton = JButton().plain().apply {
    this.text = text
    addActionListener { action() }
}

fun textView(document: StyledDocument, palette: Palette, font: Font = palette.font): JTextPane = JTextPane(document).apply {
    isEditable = false
    background = palette.background
    foreground = palette.foreground
    caretColor = palette.foreground
    this.font = font
}

/** For the places that read HTML whatever one says, such as the IDE's balloons. */
fun html(text: String): String = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")

private fun <T : JComponent> T.plain(): T = apply { putClientProperty("html.disable", true) }
