// editors/conformance/conformance.jsonl through src/client.ts and src/session.ts.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";

import type { ApprovalResult, DisplayLine, ExecParams, InitializationOptions, TerminalSize } from "../../../protocol/protocol.js";
import type { Client } from "../../src/client.js";
import { RestartPolicy } from "../../src/restart.js";
import type { Outcome, Run, RunEvent } from "../../src/run.js";
import { Session } from "../../src/session.js";
import { repository, world } from "./world.js";

interface Step {
  when: string;
  write?: string;
  close?: boolean;
  resize?: TerminalSize;
  cancel?: boolean;
  kill?: boolean;
}

interface Case {
  name: string;
  exec: ExecParams;
  steps?: Step[];
  answers?: ApprovalResult[];
  expect: {
    result?: object;
    error?: object;
    interrupted?: boolean;
    text?: Record<string, string>;
    sha256?: Record<string, string>;
    rules?: string[];
    asked?: object[];
    shown?: string[];
  };
}

const script = readFileSync(join(repository, "editors", "conformance", "conformance.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const [{ session: { initializationOptions } }, ...cases] = script as [{ session: { initializationOptions: InitializationOptions } }, ...Case[]];

const w = world();
const session = new Session(() => w.start(initializationOptions), new RestartPolicy(), { state() {}, trouble() {} });
after(async () => { await session.stop(); await w.remove(); });

for (const c of cases) test(`conformance: ${c.name}`, { timeout: 30_000 }, () => play(c));

test("conformance: the script has all its cases", () => assert.ok(cases.length >= 23, `${cases.length} cases`));

async function play({ exec, steps = [], answers = [], expect }: Case): Promise<void> {
  w.asked.length = 0;
  w.answers.splice(0, Infinity, ...answers);
  const client = await session.get();
  const streams = new Map<string, Buffer>();
  const waiting = [...steps];
  const run: Run = client.exec(exec, (event) => {
    collect(streams, event);
    advance(waiting, streams, event, run, client);
  });
  const outcome = await run.ended;
  judge(outcome, expect, streams);
  assert.deepEqual(waiting, [], "steps that never came");
  if (expect.asked) {
    assert.equal(w.asked.length, expect.asked.length, "questions");
    expect.asked.forEach((asked, i) => within(w.asked[i], asked, `question ${i}`));
  }
}

function collect(streams: Map<string, Buffer>, event: RunEvent): void {
  assert.notEqual(event.type, "gap");
  if (event.type !== "output") return;
  const before = streams.get(event.stream) ?? Buffer.alloc(0);
  assert.equal(event.offset, before.length);
  const bytes = event.text === undefined ? Buffer.from(event.data!, "base64") : Buffer.from(event.text);
  assert.equal(bytes.length, event.length);
  streams.set(event.stream, Buffer.concat([before, bytes]));
}

function advance(waiting: Step[], streams: Map<string, Buffer>, event: RunEvent, run: Run, client: Client): void {
  for (;;) {
    const [step] = waiting;
    const all = () => Buffer.concat([...streams.values()]).toString();
    if (!step || !(step.when === "started" ? event.type === "started" || run.started : all().includes(step.when))) return;
    waiting.shift();
    if (step.write !== undefined) void run.write(step.write);
    if (step.close) void run.closeInput();
    if (step.resize) void run.resize(step.resize);
    if (step.cancel) void run.cancel();
    if (step.kill) process.kill(client.pid, "SIGKILL");
  }
}

function judge(outcome: Outcome, expect: Case["expect"], streams: Map<string, Buffer>): void {
  if (expect.interrupted) assert.deepEqual(outcome, { kind: "interrupted", how: "was killed by SIGKILL" });
  if (expect.result) {
    assert.equal(outcome.kind, "result", JSON.stringify(outcome));
    if (outcome.kind === "result") within(outcome.result, expect.result, "result");
  }
  if (expect.error) {
    assert.equal(outcome.kind, "refused", JSON.stringify(outcome));
    within(outcome, expect.error, "error");
  }
  if (expect.rules) {
    const data = outcome.kind === "refused" ? outcome.data as { verdict: { findings: { ruleId: string }[] } } : undefined;
    assert.deepEqual(data?.verdict.findings.map((f) => f.ruleId), expect.rules);
  }
  if (expect.shown) inOrder(displayed(outcome), expect.shown);
  for (const [name, text] of Object.entries(expect.text ?? {})) assert.equal(streams.get(name)?.toString() ?? "", text);
  for (const [name, hash] of Object.entries(expect.sha256 ?? {})) {
    assert.equal(createHash("sha256").update(streams.get(name) ?? "").digest("hex"), hash);
  }
}

/** What a person reads below the output, or instead of it. */
function displayed(outcome: Outcome): string {
  const { display = [] } = (outcome.kind === "result" ? outcome.result : outcome.kind === "refused" ? outcome.data : {}) as { display?: DisplayLine[] };
  return display.map((line) => line.text).join("\n");
}

function inOrder(shown: string, texts: string[]): void {
  let at = 0;
  for (const text of texts) {
    const found = shown.indexOf(text, at);
    assert.notEqual(found, -1, `${text} is not shown in\n${shown}`);
    at = found + text.length;
  }
}

/** An object is compared member by member, anything else is equal. */
function within(got: unknown, want: unknown, where: string): void {
  if (want === null || typeof want !== "object") return assert.equal(got, want, where);
  assert.ok(got !== null && typeof got === "object", `${where}: ${JSON.stringify(got)}`);
  if (Array.isArray(want)) assert.equal((got as unknown[]).length, want.length, where);
  for (const [key, value] of Object.entries(want)) within((got as Record<string, unknown>)[key], value, `${where}/${key}`);
}
