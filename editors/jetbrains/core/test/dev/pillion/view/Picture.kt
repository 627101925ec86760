package dev.pillion.view

import java.awt.Color
import java.awt.Component
import java.awt.Container
import java.awt.Rectangle
import java.awt.image.BufferedImage
import java.io.File
import javax.imageio.ImageIO
import javax.swing.SwingUtilities

/** What a component looks like, painted without a screen. */
class Picture(private val image: BufferedImage) {
    fun count(colour: Color): Int = rows().sumOf { y -> columns().count { x -> at(x, y) == colour.rgb } }

    fun count(colour: Color, within: Rectangle): Int = (within.y until within.y + within.height).sumOf { y ->
        (within.x until within.x + within.width).count { x -> at(x, y) == colour.rgb }
    }

    /** The longest horizontal run of a colour: a line, not a letter. */
    fun longestLine(colour: Color): Int = rows().maxOf { y ->
        var longest = 0
        var now = 0
        for (x in columns()) {
            now = if (at(x, y) == colour.rgb) now + 1 else 0
            longest = maxOf(longest, now)
        }
        longest
    }

    private fun at(x: Int, y: Int) = image.getRGB(x, y)
    private fun rows() = 0 until image.height
    private fun columns() = 0 until image.width

    companion object {
        fun of(component: Component, name: String, width: Int = 860, height: Int = 420): Picture {
            val image = BufferedImage(width, height, BufferedImage.TYPE_INT_RGB)
            SwingUtilities.invokeAndWait {
                component.setSize(width, height)
                repeat(3) { layout(component) } // text that wraps knows its height only after it has a width
                component.paint(image.createGraphics())
            }
            val directory = File(System.getenv("PICTURES") ?: error("set PICTURES to a directory"))
            directory.mkdirs()
            ImageIO.write(image, "png", File(directory, "jetbrains-$name.png"))
            return Picture(image)
        }

        // Nothing is laid out by itself without a window.
        fun layout(component: Component) {
            component.doLayout()
            if (component is Container) component.components.forEach(::layout)
        }
    }
}
