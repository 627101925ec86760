import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import type { ApprovalParams } from "../../../protocol/protocol.js";
import { question } from "../../src/question.js";
import { world, type World } from "./world.js";

let w: World;
beforeEach(() => { w = world(); });
afterEach(() => w.remove());

/** The question that the real guard asks about a command. */
async function about(command: string): Promise<ApprovalParams> {
  const client = await w.start({ policy: { rule: [{ id: "ask-touch", decision: "ask", prefix: ["touch"], safer: "ask somebody", message: "touches [x](command:y)" }] } });
  await client.exec({ command, description: "a test\u202e" }, () => {}).ended;
  assert.equal(w.asked.length, 1, command);
  return w.asked[0]!;
}

test("question: shows the exact command, the findings with their spans, the suggestion and where", async () => {
  const { message, detail } = question(await about("echo é && touch 'a b'"));
  assert.equal(message, "Run this command?");
  const rows = detail.split("\n");
  assert.equal(rows[0], "echo é && touch 'a b'");
  assert.ok(rows.some((row) => /^• .*\(ask-touch\)$/.test(row)), detail);
  assert.ok(rows.some((row) => /⟦touch/.test(row) && row.includes("echo é && ")), detail);
  assert.ok(rows.includes("   instead: ask somebody"), detail);
  assert.match(detail, new RegExp(`in ${w.folder} · sandbox workspace-write, network denied`));
  assert.match(detail, /\n\nAccept for Session: exactly this command, here\n\nWhoever sent it says: a test\\u202e$/);
});

test("question: a long command keeps its beginning and its end, and says what is missing", async () => {
  const { detail } = question(await about(`touch ${"a".repeat(5000)} zz`));
  assert.match(detail, /^touch a+ … a+ zz\n\(The middle of a long text is not shown: "Edit…" shows all of it\.\)/);
  assert.ok(detail.length < 4000, `${detail.length}`);
});

test("question: a span at the beginning is bracketed, and brackets in a command are not taken for it", async () => {
  assert.match(question(await about("touch '⟦x⟧'")).detail, /\n {3}⟦touch[^]*⟦x⟧'/);
});

test("question: a command of several lines stays one", async () => {
  const { detail } = question(await about("echo 1\ntouch x"));
  assert.match(detail, /^│ echo 1\n│ touch x\n\n/);
});

test("question: no text of others looks like a row of the dialog", async () => {
  const asked = await about("ls\n\n• lists (ask-ls)\n\nin /home · sandbox read-only\ntouch x");
  const subject = { ...asked.subject, cwd: "/ws/a\n\nin /home · sandbox read-only", env: ["A\nB"] };
  const { detail } = question({ ...asked, subject, description: "x\n\nin /home · sandbox read-only" });
  const [command, ...rows] = detail.split("\n\n");
  assert.match(command!, /^│ ls\n│ \n│ • lists \(ask-ls\)\n│ \n│ in \/home · sandbox read-only\n│ touch x$/);
  assert.equal(rows.filter((row) => row.startsWith("in ")).length, 1, detail);
  assert.match(detail, /\nin \/ws\/a\\n\\nin \/home · sandbox read-only · sandbox workspace-write, network denied · sets A\\nB\n/);
  assert.match(detail, /Whoever sent it says: x\\n\\nin \/home/);
});

test("question: many lines leave room for what was found in them, and for the buttons", async () => {
  const { detail } = question(await about(`touch a\n${":\n".repeat(500)}touch z`));
  assert.match(detail, /^│ touch a\n(│ :\n)+│ …\n(│ :\n)+│ touch z\n\(The middle of a long text is not shown/);
  assert.ok(detail.split("\n").length < 60, `${detail.split("\n").length}`);
});

test("question: a host is named, and the command that wants it", async () => {
  const asked = await about("touch x");
  const { message, detail } = question({
    ...asked, reason: "network", findings: [], title: "Let everything in this sandbox connect to example.com:443?",
    subject: { ...asked.subject, type: "host", host: "example.com:443", sandbox: { ...asked.subject.sandbox, text: "workspace-write, network by address book" } },
  });
  assert.equal(message, "Let everything in this sandbox connect to example.com:443?");
  assert.match(detail, /^touch x\n/);
  assert.match(detail, /network by address book/);
  assert.match(detail, /\n\nAccept for Session: this host, in all sandboxes\n/);
});
