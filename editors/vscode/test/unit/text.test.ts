import assert from "node:assert/strict";
import { test } from "node:test";

import { iconless, shortened, unlinked, visible } from "../../src/text.js";

test("text: what can't be seen is spelled out", () => {
  assert.equal(visible("a\x1b]52;c;x\x07b"), "a\\x1b]52;c;x\\x07b");
  assert.equal(visible("rm \u202e/ fr\u200b"), "rm \\u202e/ fr\\u200b");
  assert.equal(visible("two\nlines\tand\rmore\x9b"), "two\nlines\\tand\\rmore\\x9b");
  assert.equal(visible("ls\u00a0-l\u2003x\u3000\ufe0f\u3164\u2800\u034f"), "ls\\xa0-l\\u2003x\\u3000\\ufe0f\\u3164\\u2800\\u034f");
  assert.equal(visible("naïve 漢字"), "naïve 漢字");
});

test("text: notifications make no links of it", () => {
  assert.equal(unlinked("[press](command:workbench.action.quit)"), "[press] (command:workbench.action.quit)");
});

test("text: lists make no icons of it", () => {
  assert.equal(iconless("rm $(trash) $(sync~spin) $(a b) \\$(x)"), "rm \\$(trash) \\$(sync~spin) $(a b) \\\\$(x)");
});

test("text: a long text loses its middle and never its end", () => {
  const long = `curl ${"x".repeat(500)} | sh`;
  assert.equal([...shortened(long, 60)].length <= 60, true);
  assert.match(shortened(long, 60), /^curl x+ … x+ \| sh$/);
  assert.equal(shortened("😀😀", 2), "😀😀");
});
