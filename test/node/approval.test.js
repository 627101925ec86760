// A person's answers through vscode-jsonrpc: PILLION_BIN names the real binary.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import rpc from "vscode-jsonrpc/node.js";

import { start } from "./sidecar.mjs";

const approval = { exec: { approval: true } };
const policy = { rule: [{ id: "ask-touch", decision: "ask", prefix: ["touch"] }] };

let sidecar;
let asked;

beforeEach(async () => { sidecar = await start(); asked = []; });
afterEach(() => sidecar.stop());

const ready = (options = {}, capabilities = approval) => sidecar.initialize(capabilities, { policy, ...options });
const exec = (command) => sidecar.connection.sendRequest("exec", { command });
const ran = (name) => existsSync(path.join(sidecar.folder, name));

function answering(answer) {
  sidecar.connection.onRequest("exec/requestApproval", (params, token) => {
    asked.push(params);
    return answer(params, token);
  });
}

async function declined(command, by) {
  await assert.rejects(exec(command), (error) => {
    assert.equal(error.code, -31003);
    assert.equal(error.data.by, by);
    assert.equal(error.data.started, false);
    return true;
  });
}

test("an accepted command runs", async () => {
  const { capabilities } = await ready();
  assert.equal(capabilities.execProvider.approval, true);
  assert.equal(capabilities.limits.maxPendingApprovals, 32);
  answering(() => ({ decision: "accept" }));
  const result = await exec("touch ran");
  assert.equal(result.approval.decision, "accept");
  assert.equal(asked[0].title, "Run touch ran?");
  assert.equal(asked[0].subject.command, "touch ran");
  assert.ok(ran("ran"));
});

test("what was accepted for the session is not asked about again", async () => {
  await ready();
  answering(() => ({ decision: "acceptForSession" }));
  await exec("touch ran");
  const again = await exec("touch ran");
  assert.equal(asked.length, 1);
  const { grants } = await sidecar.connection.sendRequest("guard/grants", { action: "list" });
  assert.deepEqual(grants.map((g) => [g.grantId, g.rule, g.uses]), [[again.approval.grantId, asked[0].sessionRule, 1]]);
});

test("an edited command runs in its place", async () => {
  await ready();
  answering(() => ({ decision: "edit", command: "echo edited" }));
  const result = await exec("touch ran");
  assert.equal(result.output.stdout.text, "edited\n");
  assert.ok(!ran("ran"));
});

test("a declined command does not run", async () => {
  await ready();
  answering(() => ({ decision: "decline", message: "no" }));
  await declined("touch ran", "client");
  assert.ok(!ran("ran"));
});

test("a client without the handler declines by -32601", async () => {
  await ready();
  await declined("touch ran", "unsupported");
});

test("a handler that fails declines", async () => {
  await ready();
  answering(() => { throw new Error("no window"); });
  await declined("touch ran", "client");
});

test("a client that never answers declines when the time is over, and is told", async () => {
  await ready({ approvals: { timeoutMs: 200 } });
  let told;
  const withdrawn = new Promise((resolve) => { told = resolve; });
  answering((_, token) => new Promise((resolve) => {
    token.onCancellationRequested(() => { told(); resolve({ decision: "accept" }); });
  }));
  await declined("touch ran", "timeout");
  await withdrawn;
  const status = await sidecar.connection.sendRequest("server/status", {});
  assert.equal(status.execs.awaitingApproval, 0);
  assert.ok(!ran("ran"));
});

test("the library's cancellation withdraws the question", async () => {
  await ready();
  let told;
  const withdrawn = new Promise((resolve) => { told = resolve; });
  const source = new rpc.CancellationTokenSource();
  answering((_, token) => new Promise((resolve) => {
    token.onCancellationRequested(() => { told(); resolve({ decision: "decline" }); });
    source.cancel();
  }));
  await assert.rejects(sidecar.connection.sendRequest("exec", { command: "touch ran" }, source.token), (error) => {
    assert.equal(error.code, -32800);
    assert.equal(error.data.phase, "awaitingApproval");
    return true;
  });
  await withdrawn;
});

test("an editor without approvals is asked by a message", async () => {
  await ready({ approvals: { fallback: "showMessageRequest" } }, {});
  sidecar.connection.onRequest("window/showMessageRequest", (params) => {
    asked.push(params);
    return asked.length === 1 ? params.actions[0] : null;
  });
  await exec("touch ran");
  assert.ok(ran("ran"));
  await declined("touch ran", "client");
  assert.equal(asked[0].type, 2);
});
