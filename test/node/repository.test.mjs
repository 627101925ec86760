// One session of an editor on a git repository, from initialize to exit.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { CancellationTokenSource, exec, start } from "./sidecar.mjs";

const subjects = ["first: ünïcödé", "second", "third 😀"];
let sidecar;

before(async () => {
  sidecar = await start();
  await repository(sidecar.folder);
});
after(() => sidecar.stop());

async function repository(dir) {
  const git = (...args) => execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@example.com", ...args], { cwd: dir, stdio: "pipe" });
  git("init", "--quiet");
  for (const subject of subjects) {
    await writeFile(path.join(dir, "file"), subject);
    git("add", "file");
    git("commit", "--quiet", "-m", subject);
  }
}

test("initialize reports what is enforced", async () => {
  const result = await sidecar.initialize();
  assert.equal(result.capabilities.positionEncoding, "utf-16");
  assert.deepEqual(Object.keys(result.capabilities.sandbox.modes).sort(), ["off", "read-only", "workspace-write"]);
});

test("git log streams, and the result repeats nothing", async () => {
  const run = exec(sidecar.connection, { execId: "log", command: "git log --reverse --format=%s" });
  const result = await run.done;
  assert.equal(result.exitCode, 0, JSON.stringify(result));
  assert.equal(run.output("stdout"), subjects.map((s) => s + "\n").join(""));
  assert.equal(run.events[0].type, "started");
  assert.equal(run.events[0].pid, result.pid);
  assert.equal(result.output.stdout.text, undefined);
  assert.equal(result.output.stdout.streamedBytes, Buffer.byteLength(run.output("stdout")));
});

test("a buffered command answers with its output", async () => {
  const result = await sidecar.connection.sendRequest("exec", { argv: ["git", "rev-parse", "--show-toplevel"] });
  assert.equal(result.output.stdout.text, sidecar.folder + "\n");
});

test("a cancel ends a long command with a result", async () => {
  const source = new CancellationTokenSource();
  const run = exec(sidecar.connection, { execId: "long", command: "sleep 940 & wait" }, source.token);
  const { pid } = await run.running;
  assert.ok(alive(pid));
  source.cancel();
  const result = await run.done;
  assert.equal(result.reason, "cancelled");
  assert.equal(result.exitCode, null);
  assert.equal(alive(pid), false);
});

test("a frame that is no JSON is survived", async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":';
  sidecar.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
  const status = await sidecar.connection.sendRequest("server/status", {});
  assert.equal(status.execs.running, 0);
});

test("shutdown and exit end with code 0", async () => {
  const left = exec(sidecar.connection, { execId: "left", command: "sleep 941" });
  const { pid } = await left.running;
  assert.equal(await sidecar.connection.sendRequest("shutdown"), null);
  assert.equal((await left.done).reason, "shutdown");
  await sidecar.connection.sendNotification("exit");
  assert.equal(await Promise.race([sidecar.exited, sleep(5000, "still running", { ref: false })]), 0, sidecar.log());
  assert.equal(alive(pid), false);
});

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
