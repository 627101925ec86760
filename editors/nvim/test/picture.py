"""Draws a screen as tmux captured it (capture-pane -epN) into a PNG.

    picture.py SCREEN PICTURE
"""

import re
import sys

from PIL import Image, ImageDraw, ImageFont

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono%s.ttf"
SIZE = 13
BASE = [0x16161E, 0xF7768E, 0x9ECE6A, 0xE0AF68, 0x7AA2F7, 0xBB9AF7, 0x7DCFFF, 0xC0CAF5]
BRIGHT = [0x565F89, 0xFF899D, 0xB9F27C, 0xFFC777, 0x8DB0FF, 0xC7A9FF, 0xA4DAFF, 0xFFFFFF]
FG, BG = 0xC0CAF5, 0x1A1B26


def indexed(n):
    if n < 16:
        return (BASE + BRIGHT)[n]
    if n >= 232:
        return (8 + 10 * (n - 232)) * 0x010101
    n -= 16
    level = [0, 95, 135, 175, 215, 255]
    return level[n // 36] << 16 | level[n // 6 % 6] << 8 | level[n % 6]


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.fg, self.bg = FG, BG
        self.bold = self.dim = self.underline = self.reverse = False

    def apply(self, codes):
        codes = [int(c or 0) for c in re.split("[;:]", codes)]
        while codes:
            code = codes.pop(0)
            if code in (38, 48, 58):
                kind = codes.pop(0)
                if kind == 5:
                    colour = indexed(codes.pop(0))
                else:
                    r, g, b = codes[:3]
                    colour, codes = r << 16 | g << 8 | b, codes[3:]
                if code == 38:
                    self.fg = colour
                elif code == 48:
                    self.bg = colour
                continue
            self.simple(code)

    def simple(self, code):
        if code == 0:
            self.reset()
        elif code in (1, 2, 4, 7):
            setattr(self, {1: "bold", 2: "dim", 4: "underline", 7: "reverse"}[code], True)
        elif code == 22:
            self.bold = self.dim = False
        elif code == 24:
            self.underline = False
        elif code == 27:
            self.reverse = False
        elif 30 <= code <= 37 or 90 <= code <= 97:
            self.fg = BASE[code - 30] if code < 90 else BRIGHT[code - 90]
        elif 40 <= code <= 47 or 100 <= code <= 107:
            self.bg = BASE[code - 40] if code < 100 else BRIGHT[code - 100]
        elif code == 39:
            self.fg = FG
        elif code == 49:
            self.bg = BG


def rgb(colour):
    return colour >> 16, colour >> 8 & 255, colour & 255


def main(screen, picture):
    lines = open(screen, encoding="utf-8").read().rstrip("\n").split("\n")
    fonts = {bold: ImageFont.truetype(FONT % ("-Bold" if bold else ""), SIZE) for bold in (False, True)}
    width, height = round(fonts[False].getlength("M")), 17
    plain = [re.sub("\x1b\\[[0-9;:]*m|\x1b\\(.|[\x0e\x0f]", "", line) for line in lines]
    columns = max(map(len, plain))
    image = Image.new("RGB", (columns * width, len(lines) * height), rgb(BG))
    draw = ImageDraw.Draw(image)
    style = Style()
    for row, line in enumerate(lines):
        column = 0
        for codes, text in re.findall("\x1b\\[([0-9;:]*)m|([^\x1b\x0e\x0f])", re.sub("\x1b\\(.", "", line)):
            if not text:
                style.apply(codes)
                continue
            x, y = column * width, row * height
            fg, bg = (style.bg, style.fg) if style.reverse else (style.fg, style.bg)
            draw.rectangle((x, y, x + width - 1, y + height - 1), fill=rgb(bg))
            ink = tuple((a + b) // 2 for a, b in zip(rgb(fg), rgb(bg))) if style.dim else rgb(fg)
            draw.text((x, y), text, font=fonts[style.bold], fill=ink)
            if style.underline:
                draw.line((x, y + height - 2, x + width - 1, y + height - 2), fill=ink)
            column += 1
    image.quantize(64).save(picture, optimize=True)


main(*sys.argv[1:])
