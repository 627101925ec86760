// A session over ssh is like one without: this is a stock vscode-jsonrpc on the near side.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { CancellationTokenSource, connect, folder, late, nothingLeft, serve, soon, pause, theirs, until } from "./remote.mjs";

const policy = { rule: [{ id: "ask-touch", decision: "ask", prefix: ["touch"] }] };
let session, asked, answer;

beforeEach(() => {
  session = connect(serve("box"));
  asked = [];
  session.connection.onRequest("exec/requestApproval", (params) => {
    asked.push(params);
    return { decision: answer };
  });
});
afterEach(async () => {
  session.kill();
  await nothingLeft();
});

test("it reports what the other machine enforces", async () => {
  const { protocolVersion, capabilities } = await session.initialize();
  assert.equal(protocolVersion, 1);
  assert.ok(capabilities.sandbox.modes["workspace-write"].available);
});

test("a mebibyte of any bytes arrives as it was", async () => {
  await session.initialize();
  const bytes = randomBytes(1 << 20);
  writeFileSync(path.join(folder, "bytes"), bytes);
  const run = session.exec({ execId: "bytes", argv: ["cat", "bytes"] });
  assert.equal((await run.done).exitCode, 0);
  assert.ok(run.bytes.equals(bytes));
});

test("input reaches a command", async () => {
  await session.initialize();
  const run = session.exec({ execId: "in", argv: ["cat"], stdin: { open: true } });
  await session.connection.sendRequest("exec/write", { execId: "in", text: "some words\n" });
  await run.until("words");
  await session.connection.sendRequest("exec/write", { execId: "in", text: "and more\n", close: true });
  assert.equal((await run.done).exitCode, 0);
  assert.equal(run.bytes.toString(), "some words\nand more\n");
});

test("a terminal of the command is the command's, not ssh's", async () => {
  await session.initialize();
  const run = session.exec({ execId: "pty", command: "test -t 0 && stty size", pty: { rows: 31, cols: 101 } });
  assert.equal((await run.done).exitCode, 0);
  assert.equal(run.bytes.toString(), "31 101\r\n");
});

test("a cancelled command is gone on the other machine", async () => {
  await session.initialize();
  const source = new CancellationTokenSource();
  const run = session.exec({ execId: "long", command: "echo up; sleep 601" }, source.token);
  await run.until("up");
  source.cancel();
  assert.equal((await run.done).reason, "cancelled");
  await until(() => !theirs().some((p) => p.line === "sleep 601"));
});

test("a question crosses to the person and the answer comes back", async () => {
  await session.initialize({ initializationOptions: { policy } });
  const made = path.join(folder, "made");
  answer = "decline";
  await assert.rejects(session.connection.sendRequest("exec", { command: "touch made" }), { code: -31003 });
  assert.ok(!existsSync(made));
  answer = "accept";
  assert.equal((await session.connection.sendRequest("exec", { command: "touch made" })).exitCode, 0);
  assert.ok(existsSync(made));
  assert.equal(asked.length, 2);
  rmSync(made);
});

test("a folder that only the near side has is named", async () => {
  const { capabilities } = await session.initialize({ workspaceFolders: [{ uri: "file:///only/here", name: "ws" }] });
  assert.ok(capabilities.sandbox);
  await assert.rejects(session.connection.sendRequest("exec", { command: "true" }), (error) => {
    assert.equal(error.code, -31007);
    assert.match(error.message, /\/only\/here/);
    return true;
  });
});

test("another protocol version is refused by name", async () => {
  await assert.rejects(session.initialize({ initializationOptions: { protocolVersion: 2 } }), (error) => {
    assert.equal(error.code, -31016);
    assert.deepEqual(error.data.supported, [1]);
    return true;
  });
});

test("the pid of an editor on another machine is not watched if nobody has it here", async () => {
  await session.initialize({ processId: 4194304 });
  await pause(500);
  assert.equal((await session.connection.sendRequest("exec", { command: "true" })).exitCode, 0);
  assert.match(session.log(), /isn't watched/);
});

test("the pid of an editor on another machine that somebody has here ends the session with that process", async () => {
  // which is why a client that speaks over ssh says null
  const stranger = spawn("sleep", ["60"]);
  await session.initialize({ processId: stranger.pid });
  assert.equal((await session.connection.sendRequest("exec", { command: "true" })).exitCode, 0);
  stranger.kill();
  assert.equal(await Promise.race([session.exited, late(soon)]), 1);
});
