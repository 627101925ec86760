// What the sidecar says, in a dialog and in a terminal.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import type { DisplayLine } from "../../../protocol/protocol.js";
import { bracketed, coloured } from "../../src/lines.js";
import { world, type World } from "./world.js";

let w: World;
beforeEach(() => { w = world(); });
afterEach(() => w.remove());

/** The question that the real guard asks about a command, as a dialog shows it. */
async function about(command: string): Promise<string> {
  const client = await w.start({ policy: { rule: [{ id: "ask-touch", decision: "ask", prefix: ["touch"], safer: "ask somebody", message: "touches [x](command:y)" }] } });
  await client.exec({ command, description: "a test\u202e" }, () => {}).ended;
  assert.equal(w.asked.length, 1, command);
  return bracketed(w.asked[0]!.display);
}

test("lines: a question is the exact command, where it runs, what was found in it and what to do instead", async () => {
  assert.equal(await about("echo é && touch 'a b'"), [
    "Run echo é && touch 'a b'?", "",
    "    echo é && ⟦touch 'a b'⟧", "",
    `  in       ${w.folder}`,
    "  sandbox  workspace-write, network by address book",
    "  said     a test\\u202e", "",
    "touches [x](command:y)",
    "  instead  ask somebody",
    "  rule     ask-touch",
    "  session  exactly this command, here",
    `  always   exactly this command, in ${w.folder} and below, also tomorrow`,
  ].join("\n"));
});

test("lines: a command of several lines stays one, and none of its lines can be taken for one of the question", async () => {
  const text = await about("ls\n\n  why      not\n  sandbox  read-only\ntouch x");
  assert.ok(text.includes("\n\n    ls\n    \n      why      not\n      sandbox  read-only\n    ⟦touch x⟧\n\n"), text);
});

test("lines: many lines leave room for what was found in them, and for the buttons", async () => {
  const text = await about(`touch a\n${":\n".repeat(500)}touch z`);
  assert.match(text, /\n {4}⟦touch a⟧\n( {4}:\n)+ {4}…\n( {4}:\n)+ {4}⟦?touch z⟧?\n\n\d+ characters in the middle of it are not shown\./);
  assert.ok(text.split("\n").length < 60, `${text.split("\n").length}`);
});

test("lines: what stands after a label is wrapped between words, below itself, and a command is not", () => {
  const plain = (line: DisplayLine) => coloured(line, 40).replace(/\x1b\[[0-9;]*m/g, "").split("\n");
  const why = "In a repository such as this one they no longer fit.";
  const spans: DisplayLine["spans"] = [{ text: "  why      ", tone: "dim" }, { text: why, tone: "reason" }];
  assert.deepEqual(plain({ text: `  why      ${why}`, tone: "reason", spans }), [
    "  why      In a repository such as this",
    "           one they no longer fit.",
  ]);
  const command = `    ${"word ".repeat(20)}`;
  assert.deepEqual(plain({ text: command, tone: "command" }), [command]);
});
