import assert from "node:assert/strict";
import { test } from "node:test";

import { Screen } from "../../src/screen.js";

const end = "\x1b7\x1b[r\x1b8\x1b(B\x0f\x1b[0m";
const through = (text: string) => new Screen().write(text);

/** However the bytes are cut, the same comes out. */
function always(text: string, want: string): void {
  assert.equal(through(text), want);
  const screen = new Screen();
  assert.equal([...Buffer.from(text)].map((byte) => screen.write(Buffer.of(byte))).join(""), want);
}

test("screen: text, colours and the cursor pass", () => {
  for (const text of ["plain\r\n", "\x1b[1;38;5;208mred\x1b[0m", "\x1b[2J\x1b[H\x1b[10;5Hx\x1b[K\x1b[3A", "grüß 😀\t\b\x07"]) always(text, text);
});

test("screen: what full-screen programs need passes", () => {
  for (const text of ["\x1b[?1049h\x1b[?25l\x1b[?1000;1006h".replace("1000;1006h", "1000h\x1b[?1006h"), "\x1b[1;20r\x1b7\x1b8\x1bM\x1b=\x1b>", "\x1b(0lqk\x1b(B", "\x1b[6n\x1b[c"]) always(text, text);
});

test("screen: the clipboard and the title stay as they are", () => {
  always("a\x1b]52;c;ZXZpbA==\x07b", "ab");
  always("a\x1b]0;title\x1b\\b", "ab");
  always("a\u009d52;c;ZXZpbA==\u009cb", "ab");
  always("a\x1b[22;0t\x1b[21tb", "ab");
});

test("screen: links are plain text", () => always("\x1b]8;;https://evil.example\x1b\\label\x1b]8;;\x1b\\", "label"));

test("screen: strings for the terminal itself go", () => {
  always("a\x1bPq#0\x1b\\b\x1b_x\x1b\\c\x1b^y\x07d\x1bXz\x18e", "abcde");
  always("a\x1b]633;E;rm -rf ~\x07b\x1b]1337;SetMark\x07c", "abc");
});

test("screen: a line break ends a string, so that one can't hide the rest", () => always("\x1b]0;never ends\nshown", "shown"));

test("screen: one that never ends takes no memory and hides one line only", () => {
  const screen = new Screen();
  screen.write("\x1b]0;");
  for (let i = 0; i < 1000; i++) assert.equal(screen.write("x".repeat(1000)), "");
  assert.equal(screen.write("\nback"), "back");
});

test("screen: the keyboard's protocols and unknown modes go", () => always("\x1b[>1u\x1b[=5;1u\x1b[>4;2m\x1b[?9001h\x1b[?1000hx", "\x1b[?1000hx"));

test("screen: long or absurd sequences go", () => always(`\x1b[${"1;".repeat(20)}m\x1b[999999999Ax`, `\x1b[${"1;".repeat(20)}mx`));

test("screen: a character in two pieces is one", () => {
  const screen = new Screen();
  assert.equal(screen.write(Buffer.of(0xc3)) + screen.write(Buffer.of(0xbc)), "ü");
  assert.equal(screen.write(Buffer.of(0xff)), "\ufffd");
});

test("screen: knows when a command has all of it", () => {
  const screen = new Screen();
  screen.write("\x1b[?25l");
  assert.equal(screen.full, false);
  screen.write("\x1b[?1049h");
  assert.equal(screen.full, true);
  screen.write("\x1b[?1049l");
  assert.equal(screen.full, false);
});

test("screen: what was changed is taken back at the end", () => {
  const screen = new Screen();
  screen.write("\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?2004l\x1b[31m\x1b]0;un");
  assert.equal(screen.settle(), `\x1b[?1049l\x1b[?25h${end}`);
  assert.equal(screen.write("text"), "text");
  assert.equal(screen.settle(), end);
});
