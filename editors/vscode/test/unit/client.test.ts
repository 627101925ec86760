import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";

import type { ExecParams } from "../../../protocol/protocol.js";
import { changed } from "../../src/child.js";
import type { Client } from "../../src/client.js";
import { summary } from "../../src/ending.js";
import { lines, sentence } from "../../src/refusal.js";
import type { Outcome, Refusal } from "../../src/run.js";
import { judged } from "../../src/standing.js";
import { until, world, type World } from "./world.js";

let w: World;
beforeEach(() => { w = world(); });
afterEach(() => w.remove());

async function run(client: Client, params: ExecParams): Promise<Outcome> {
  return client.exec(params, () => {}).ended;
}

async function refusal(params: ExecParams, client?: Client): Promise<Refusal> {
  const outcome = await run(client ?? await w.start(), params);
  assert.equal(outcome.kind, "refused", JSON.stringify(outcome));
  return outcome as Refusal;
}

const plain = (rows: string[]) => rows.map((row) => row.replace(/\x1b\[[0-9;]*m/g, ""));
const command = (text: string): ExecParams => ({ command: text });

test("client: a denied command is told with its span underlined, why, and what to do instead", async () => {
  const params = command("echo é; rm -rf ~");
  const refused = await refusal(params);
  assert.equal(sentence(refused), `pillion: denied: deletes ${w.root}; instead: delete by name, inside the workspace`);
  const rows = lines(refused);
  assert.ok(rows[1]!.endsWith("echo é; rm -rf \x1b[31;4m~\x1b[39;24m"), rows[1]);
  assert.deepEqual(plain(rows), [
    `pillion: denied: deletes ${w.root}`,
    "    echo é; rm -rf ~",
    "  why      A deleted system or home directory can't be restored.",
    "  instead  delete by name, inside the workspace",
    "  rule     fs/delete-system",
  ]);
});

test("client: a command that waits for input says so, and can be answered", { skip: process.platform !== "linux" }, async () => {
  const client = await w.start();
  const asked: string[] = [];
  const run = client.exec({ ...command("stty -echo; printf 'Password: '; read -r x; test \"$x\" = secret"), pty: { rows: 24, cols: 80 } }, (event) => {
    if (event.type !== "waiting") return;
    asked.push(`${event.kind} ${event.prompt}`);
    void run.write("secret\r");
  });
  const outcome = await run.ended;
  assert.equal(outcome.kind === "result" && outcome.result.exitCode, 0);
  assert.deepEqual(asked, ["hidden Password: "]);
});

const page = (address: string) => new Promise<string>((read, failed) => {
  get(`http://${address}/`, (answer) => {
    let text = "";
    answer.on("data", (piece) => { text += String(piece); }).on("end", () => read(text));
  }).on("error", failed);
});

test("client: a server that a command starts is opened until it ends", { skip: process.platform !== "linux" }, async () => {
  const client = await w.start();
  const run = client.exec(command("echo a page > index.html; exec python3 -m http.server 5173"), () => {});
  await until("it listens", () => w.ports.length > 0);
  const heard = w.ports[0];
  assert.deepEqual([heard?.execId, heard?.port, heard?.listening], [run.execId, 5173, true]);
  const { address } = await client.forward(run.execId, 5173);
  assert.equal(await page(address), "a page\n");
  await assert.rejects(client.forward(run.execId, 5174));
  await run.cancel();
  await run.ended;
  await assert.rejects(page(address));
});

test("client: a declined command says so", async () => {
  const client = await w.start({ policy: { rule: [{ id: "ask-touch", decision: "ask", prefix: ["touch"] }] } });
  w.answers.push({ decision: "decline", message: "not today" });
  const params = command("touch x");
  const refused = await refusal(params, client);
  assert.match(sentence(refused), /^pillion: declined: runs touch x, .*"ask-touch".*; said: not today$/);
  assert.ok(plain(lines(refused)).includes("  said     not today"));
});

test("client: a command outside the workspace is not started, and says why", async () => {
  assert.match(sentence(await refusal({ command: "true", cwd: "/" })), /^pillion: "\/" is outside the workspace; /);
});

test("client: a mistake in the workspace's policy names file and line", async () => {
  const { writeFileSync } = await import("node:fs");
  writeFileSync(join(w.folder, ".pillion.toml"), "[sandbox]\nmode = \"of\"\n");
  assert.match(sentence(await refusal(command("true"))), /^pillion: [^ ]*\.pillion\.toml:2:1: sandbox\.mode: expected [^:]*$/);
});

test("client: output that nobody takes away is held back, and none of it is lost", async () => {
  const client = await w.start();
  let [waiting, most, length] = [0, 0, 0];
  const run = client.exec({ command: "head -c 6000000 /dev/zero | tr '\\0' x", output: { streamMaxBytes: 1 << 30 } }, async (event) => {
    assert.notEqual(event.type, "gap");
    if (event.type !== "output") return;
    await new Promise((resolve) => setTimeout(resolve, 1));
    length += event.length;
  });
  const receive = run.receive.bind(run);
  run.receive = (event) => {
    if (event.type === "output") most = Math.max(most, (waiting += event.length) - length);
    receive(event);
  };
  assert.equal((await run.ended).kind, "result");
  assert.equal(length, 6_000_000);
  assert.ok(most <= 262_144 + 65_536, `${most} bytes were on their way`);
});

test("client: a command that nobody listens to does not hold up another", async () => {
  const client = await w.start();
  let go!: () => void;
  const gate = new Promise<void>((resolve) => { go = resolve; });
  const slow = client.exec({ command: "head -c 3000000 /dev/zero" }, () => gate);
  await until("output waits", () => slow.started !== undefined);
  assert.equal((await run(client, command("true"))).kind, "result");
  go();
  assert.equal((await slow.ended).kind, "result");
});

test("client: what the sandbox refused stands in the summary with the grant that would allow it", async () => {
  const outcome = await run(await w.start(), { command: "awk '{ print > $1 }'", stdin: { text: "/etc/x\n" } });
  assert.ok(outcome.kind === "result");
  const rows = plain(summary(outcome.result));
  assert.match(rows[0]!, /^pillion: refused: awk: openat \/etc\/x \(outside\)/);
  assert.match(rows.at(-1)!, /^pillion: exit 2 · \d+ ms · workspace-write, network by address book$/);
});

test("client: the sandbox's standing is the sidecar's own judgement", async () => {
  const enforced = await judged(await w.start());
  assert.equal(enforced.kind, "enforced");
  assert.match(enforced.text, /workspace-write, network by address book/);
  const off = await judged(await w.start({ policy: { allowOff: true }, sandbox: { mode: "off" } }));
  assert.equal(off.kind, "off");
  assert.equal(enforced.open, false);
  const open = await judged(await w.start({ policy: { allowNetwork: true }, sandbox: { network: "allow" } }));
  assert.deepEqual([open.kind, open.open], ["enforced", true]);
  const unavailable = await judged(await w.start({ profile: "isolated", sandbox: { mode: "off" }, policy: { allowOff: true } }));
  assert.equal(unavailable.kind, "unavailable", unavailable.text);
});

test("client: folders come and go", async () => {
  const client = await w.start();
  const other = join(w.root, "other");
  mkdirSync(other);
  const there = { command: "pwd", cwd: other };
  assert.equal((await run(client, there)).kind, "refused");
  client.foldersChanged({ added: [{ uri: pathToFileURL(other).href, name: "other" }], removed: [] });
  assert.equal((await run(client, there)).kind, "result");
  client.foldersChanged({ added: [], removed: [{ uri: pathToFileURL(other).href, name: "other" }] });
  assert.equal((await run(client, there)).kind, "refused");
});

test("client: a question that expires is withdrawn", async () => {
  const client = await w.start({ approvals: { timeoutMs: 200 }, policy: { rule: [{ id: "ask-touch", decision: "ask", prefix: ["touch"] }] } });
  const withdrawn = new Promise((resolve) => { w.approve = (_, token) => new Promise(() => token.onCancellationRequested(resolve)); });
  const refused = await refusal(command("touch x"), client);
  assert.match(sentence(refused), /^pillion: declined \(nobody answered in time\): /);
  await withdrawn;
});

test("client: a summary has both ends of the output and the exit code", async () => {
  const outcome = await run(await w.start(), {
    command: "echo first; seq 1 10000; echo last; exit 4",
    output: { stream: false, inlineMaxBytes: 1, summary: { form: "layered", maxChars: 200, keep: "headTail" } },
  });
  assert.ok(outcome.kind === "result");
  assert.match(outcome.result.summary!, /^first\n1\n[^]*last\n[^]*\[exit code: 4\]/);
  assert.ok(outcome.result.summary!.length < 400);
});

test("client: what pillion writes to its log is passed on, and a trace if it is asked for", async () => {
  const client = await w.start();
  client.setTrace("messages");
  await run(client, command("true"));
  await until("a trace", () => w.logged.some((line) => /Received request 'exec/.test(line)));
});

test("client: stop ends what runs, and the process", async () => {
  const client = await w.start();
  const run = client.exec(command("trap '' TERM; sleep 600"), () => {});
  await until("it has started", () => run.started !== undefined);
  await client.stop();
  assert.equal(await client.closed, "exited with code 0");
  assert.throws(() => process.kill(client.pid, 0), { code: "ESRCH" });
  const outcome = await run.ended;
  assert.equal(outcome.kind === "result" && outcome.result.reason, "shutdown");
});

test("client: asked after its end, it is interrupted at once", async () => {
  const client = await w.start();
  await client.stop();
  assert.deepEqual(await run(client, command("true")), { kind: "interrupted", how: "exited with code 0" });
});

test("client: what the settings remove from the environment is said, too", () => {
  assert.deepEqual(changed({ A: "1", B: "2", C: "3" }, { A: "1", B: "4", D: "5" }), { B: "4", C: null, D: "5" });
});
