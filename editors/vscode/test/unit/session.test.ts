import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { Client } from "../../src/client.js";
import { RestartPolicy } from "../../src/restart.js";
import { StartError } from "../../src/start-error.js";
import { Session, type State } from "../../src/session.js";
import { until, world, type World } from "./world.js";

/** The same policy, a hundred times as fast. */
class Quick extends RestartPolicy {
  override crashed(): number | undefined {
    const delay = super.crashed();
    return delay === undefined ? undefined : delay / 100;
  }
}

let w: World;
let session: Session;
let states: State[];
let told: { message: string; final: boolean }[];

function keep(launch: () => Promise<Client>): Session {
  return new Session(launch, new Quick(), {
    state: (state) => states.push(state),
    trouble: (message, final) => told.push({ message, final }),
  });
}

beforeEach(() => {
  [states, told] = [[], []];
  w = world();
  session = keep(() => w.start());
});
afterEach(async () => {
  await session.stop();
  await w.remove();
});

const kinds = () => states.map((state) => state.kind);
const kill = (client: Client) => process.kill(client.pid, "SIGKILL");

test("session: a crash in a run is told as interrupted, and the next run works", async () => {
  const first = await session.get();
  const run = first.exec({ command: "echo up; sleep 600" }, (event) => { if (event.type === "output") kill(first); });
  assert.deepEqual(await run.ended, { kind: "interrupted", how: "was killed by SIGKILL" });
  const second = await session.get();
  assert.notEqual(second.pid, first.pid);
  assert.equal((await second.exec({ command: "true" }, () => {}).ended).kind, "result");
  assert.deepEqual(kinds(), ["starting", "ready", "waiting", "starting", "ready"]);
  assert.deepEqual(told, [{ message: "pillion was killed by SIGKILL; it is started again", final: false }]);
});

test("session: nothing is run again by itself", async () => {
  const first = await session.get();
  await first.exec({ command: "echo x >> ran; echo up; sleep 600" }, (event) => { if (event.type === "output") kill(first); }).ended;
  const outcome = await (await session.get()).exec({ command: "sleep 0.3; wc -l < ran" }, () => {}).ended;
  assert.equal(outcome.kind, "result");
  const read = await (await session.get()).exec({ command: "test $(wc -l < ran) = 1" }, () => {}).ended;
  assert.equal(read.kind === "result" && read.result.exitCode, 0);
});

test("session: the sixth crash is the last, told once, until a person restarts it", async () => {
  for (let i = 0; i < 6; i++) {
    const client = await session.get();
    kill(client);
    await client.closed;
    await until("the crash was noticed", () => session.state.kind !== "ready" || session.state.client !== client);
  }
  assert.equal(session.state.kind, "failed");
  assert.deepEqual(told.map((t) => t.final), [false, false, false, false, false, true]);
  assert.match(told[5]!.message, /^pillion was killed by SIGKILL, and was started again five times in three minutes: .*"pillion: Restart Server"\.$/);
  await assert.rejects(session.get(), /five times in three minutes/);
  assert.equal((await session.restart()).info.protocolVersion, 1);
});

function script(body: string): () => Promise<Client> {
  const path = join(w.root, "fake");
  writeFileSync(path, `#!/bin/sh\necho start >> ${w.root}/starts\n${body}\n`);
  chmodSync(path, 0o755);
  const handlers = { approve: async () => ({ decision: "decline" as const }), log() {}, show() {}, trace() {} };
  return () => Client.start({ path, args: [], env: {}, trace: "off", clientInfo: { name: "t" }, folders: [], initializationOptions: {} }, handlers);
}

test("session: a program that dies before it answers is tried six times", async () => {
  session = keep(script("exit 1"));
  await assert.rejects(session.get(), /exited with code 1 before it answered, and was started again five times/);
  assert.equal(kinds().filter((k) => k === "starting").length, 6);
});

test("session: a program that doesn't know how it is called is not tried again", async () => {
  session = keep(script("exit 2"));
  await assert.rejects(session.get(), { message: "pillion exited with code 2 before it answered" });
  assert.deepEqual(kinds(), ["starting", "failed"]);
});

test("session: settings that pillion refuses are told once and not tried again", async () => {
  session = keep(() => w.start({ sandbox: { mode: "read-onyl" as "read-only" } }));
  await assert.rejects(session.get(), /^Error: pillion refused its settings: .*sandbox/);
  assert.deepEqual(kinds(), ["starting", "failed"]);
  assert.equal(told.length, 1);
});

test("session: another protocol gives one sentence that names the setting", async () => {
  const answer = '{"jsonrpc":"2.0","id":0,"error":{"code":-31016,"message":"x","data":{"kind":"unsupportedProtocolVersion","started":false,"retryable":false,"supported":[2,3],"requested":1,"retry":false}}}';
  session = keep(script(`printf 'Content-Length: %d\\r\\n\\r\\n%s' ${answer.length} '${answer}'; /bin/cat`));
  await assert.rejects(session.get(), { message: "pillion speaks protocol 2, 3, but 1 is required: set pillion.server.path to another one." });
  assert.deepEqual(kinds(), ["starting", "failed"]);
});

test("session: a program that can't be started is told", async () => {
  session = keep(() => Client.start({ path: w.folder, args: [], env: {}, trace: "off", clientInfo: { name: "t" }, folders: [], initializationOptions: {} },
    { approve: async () => ({ decision: "decline" as const }), log() {}, show() {}, trace() {} }));
  await assert.rejects(session.get(), (error) => error instanceof Error && /could not be started: .*EACCES/.test(error.message));
});

test("session: everybody who waits gets the same sidecar", async () => {
  const [a, b, c] = await Promise.all([session.get(), session.get(), session.get()]);
  assert.equal(a, b);
  assert.equal(b, c);
});

test("session: a restart ends what runs and answers it", async () => {
  const first = await session.get();
  let restarted: Promise<Client> | undefined;
  const run = first.exec({ command: "sleep 600" }, (event) => { if (event.type === "started") restarted = session.restart(); });
  const outcome = await run.ended;
  assert.equal(outcome.kind === "result" && outcome.result.reason, "shutdown");
  assert.notEqual((await restarted!).pid, first.pid);
  assert.deepEqual(told, []);
});

test("session: other settings hold for the next run, and what runs goes on", async () => {
  const first = await session.get();
  const run = first.exec({ command: "read line; echo $line", stdin: { open: true } }, () => {});
  await until("it has started", () => run.started !== undefined);
  await session.replace();
  const second = await session.get();
  assert.notEqual(second.pid, first.pid);
  await run.write("still here\n");
  const outcome = await run.ended;
  assert.equal(outcome.kind === "result" && outcome.result.exitCode, 0);
  assert.equal(await first.closed, "exited with code 0");
  assert.deepEqual(told, []);
});

for (const [what, end] of [["a restart", () => session.restart()], ["a stop", () => session.stop()]] as const) {
  test(`session: ${what} also ends what runs with the settings of before`, async () => {
    const first = await session.get();
    const run = first.exec({ command: "sleep 600" }, () => {});
    await until("it has started", () => run.started !== undefined);
    await session.replace();
    await end();
    assert.equal(await first.closed, "exited with code 0");
    const outcome = await run.ended;
    assert.equal(outcome.kind === "result" && outcome.result.reason, "shutdown");
  });
}

test("session: stopped while it restarts, it stays stopped", async () => {
  await session.get();
  const restarted = session.restart();
  await session.stop();
  await assert.rejects(restarted, /stopped while it restarted/);
  assert.equal(session.state.kind, "stopped");
});

test("session: stopped while it starts, nothing is left", async () => {
  const coming = session.get();
  await session.stop();
  await assert.rejects(coming, /stopped while it started/);
  assert.equal(session.state.kind, "stopped");
});

test("session: restarted while it waits for the next try, whoever waits gets the new one", async () => {
  let broken = true;
  session = new Session(() => (broken ? Promise.reject(new StartError("pillion is broken", true)) : w.start()), new RestartPolicy(), { state: (state) => states.push(state), trouble() {} });
  const coming = session.get();
  await until("it waits", () => session.state.kind === "waiting");
  broken = false;
  assert.equal(await session.restart(), await coming);
});

test("session: stopped while it waits after a crash, it stays stopped", async () => {
  session = new Session(() => w.start(), new RestartPolicy(), { state: (state) => states.push(state), trouble() {} });
  kill(await session.get());
  await until("it waits", () => session.state.kind === "waiting");
  const coming = session.get();
  await session.stop();
  await assert.rejects(coming, /stopped/);
  assert.deepEqual(kinds(), ["starting", "ready", "waiting", "stopped"]);
});

test("session: restarted while it starts, the newer one is had by all", async () => {
  const coming = session.get();
  const restarted = session.restart();
  assert.equal(await coming, await restarted);
});
