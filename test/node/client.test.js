// A stock vscode-jsonrpc client, the library under every VS Code extension,
// against the real binary: PILLION_BIN names it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import rpc from "vscode-jsonrpc/node.js";

const bin = process.env.PILLION_BIN;
assert.ok(bin && existsSync(bin), "set PILLION_BIN to the built program");

let child, connection, workspace, unhandled;

beforeEach(async () => {
  workspace = realpathSync(mkdtempSync(join(homedir(), "pillion-node-")));
  child = spawn(bin, ["--stdio"], { stdio: ["pipe", "pipe", "pipe"] });
  child.stderr.resume();
  connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout),
    new rpc.StreamMessageWriter(child.stdin),
  );
  unhandled = [];
  connection.onError(([error]) => unhandled.push(error));
  connection.onUnhandledNotification((n) => n.method.startsWith("window/") || unhandled.push(n));
  connection.listen();
});

afterEach(async () => {
  child.kill("SIGKILL");
  connection.dispose();
  rmSync(workspace, { recursive: true });
});

function initialize(initializationOptions) {
  return connection.sendRequest("initialize", {
    processId: process.pid,
    clientInfo: { name: "node test" },
    workspaceFolders: [{ uri: pathToFileURL(workspace).href, name: "ws" }],
    capabilities: {},
    initializationOptions,
  });
}

async function start(options) {
  const result = await initialize(options);
  await connection.sendNotification("initialized", {});
  return result;
}

// collect gathers a command's events; offsets must be contiguous per stream.
function collect(token) {
  const seen = { started: 0, seq: 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  connection.onProgress(new rpc.ProgressType(), token, (e) => {
    if (e.type === "started") {
      assert.equal(seen.seq, 0, "started precedes output");
      seen.started++;
      seen.pid = e.pid;
      return;
    }
    assert.equal(e.type, "output");
    assert.equal(e.seq, seen.seq++);
    assert.equal(e.offset, seen[e.stream].length);
    const bytes = e.text === undefined ? Buffer.from(e.data, "base64") : Buffer.from(e.text);
    assert.equal(bytes.length, e.length);
    seen[e.stream] = Buffer.concat([seen[e.stream], bytes]);
  });
  return seen;
}

test("initialize reports what was tested, then the session ends with code 0", async () => {
  const { protocolVersion, serverInfo, capabilities } = await start();
  assert.equal(protocolVersion, 1);
  assert.equal(serverInfo.name, "pillion");
  assert.ok(capabilities.sandbox.modes["workspace-write"].available);
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
  assert.deepEqual(unhandled, []);
});

test("output streams in order and is not repeated in the result", async () => {
  await start();
  const seen = collect("out");
  const result = await connection.sendRequest("exec", {
    command: "printf 'héllo\\n'; printf 'oops\\n' >&2; printf '\\377'",
    partialResultToken: "out",
  });
  assert.equal(result.exitCode, 0);
  assert.equal(seen.started, 1);
  assert.deepEqual(seen.stdout, Buffer.from([...Buffer.from("héllo\n"), 0xff]));
  assert.equal(seen.stderr.toString(), "oops\n");
  assert.equal(result.output.stdout.totalBytes, 8);
  assert.equal(result.output.stdout.text, undefined);
});

test("several megabytes arrive whole", async () => {
  await start();
  const seen = collect(7);
  const result = await connection.sendRequest("exec", {
    command: "seq 1 500000",
    partialResultToken: 7,
  });
  assert.equal(seen.stdout.length, result.output.stdout.totalBytes);
  assert.ok(seen.stdout.toString().endsWith("\n499999\n500000\n"));
});

test("the sandbox holds: writes and reads outside fail, inside works", async () => {
  await start();
  const secret = join(homedir(), `.pillion-node-secret-${process.pid}`);
  writeFileSync(secret, "secret");
  // In a script, where the guard can't see it: this is about the sandbox.
  const script = `cat ${secret}; echo x > ${secret}; echo in > inside; cat inside`;
  writeFileSync(join(workspace, "script.sh"), script);
  try {
    const result = await connection.sendRequest("exec", { argv: ["sh", "script.sh"] });
    assert.equal(result.exitCode, 0);
    assert.equal(result.output.stdout.text, "in\n");
    // With mounts of its own a command has another home at the same path.
    assert.match(result.output.stderr.text, /^cat: .*(Permission denied|No such file or directory)/);
    assert.equal(readFileSync(secret, "utf8"), "secret");
    assert.equal(result.sandbox.fsWrite, "enforced");
  } finally {
    rmSync(secret);
  }
});

test("the library's own cancellation ends a running command with a result", async () => {
  await start();
  const seen = collect("c");
  const source = new rpc.CancellationTokenSource();
  const answer = connection.sendRequest(
    "exec",
    { command: "echo up; sleep 60", partialResultToken: "c" },
    source.token,
  );
  while (seen.stdout.length === 0) await new Promise((r) => setTimeout(r, 5));
  source.cancel();
  const result = await answer;
  assert.equal(result.reason, "cancelled");
  assert.equal(result.signal, "SIGTERM");
  assert.throws(() => process.kill(seen.pid, 0), { code: "ESRCH" });
});

test("an error says that nothing was started", async () => {
  await start();
  for (const [params, code] of [
    [{ command: "rm -rf /" }, -31001],
    [{ command: "true", sandBox: { mode: "off" } }, -32602],
    [{ command: "true", cwd: "/" }, -31007],
    [{ argv: ["no-such-program"] }, -31006],
    [{ command: "true", sandbox: { mode: "off" } }, -32602],
  ]) {
    await assert.rejects(connection.sendRequest("exec", params), (error) => {
      assert.equal(error.code, code, JSON.stringify(params));
      assert.equal(error.data.started, false);
      return true;
    });
  }
});

test("an unknown option fails initialize, a corrected one goes through", async () => {
  await assert.rejects(initialize({ sandbox: { network: "some" } }), (error) => {
    assert.equal(error.code, -32602);
    assert.equal(error.data.path, "/initializationOptions/sandbox/network");
    return true;
  });
  await start({ sandbox: { mode: "read-only" }, limits: { maxConcurrent: 2 } });
  const result = await connection.sendRequest("exec", { command: "touch new" });
  assert.notEqual(result.exitCode, 0);
  assert.equal(result.sandbox.mode, "read-only");
});

test("a client that vanishes takes its commands with it", async () => {
  await start();
  const seen = collect("v");
  const answer = connection.sendRequest("exec", {
    command: "trap '' TERM; echo up; sleep 60 & sleep 60",
    partialResultToken: "v",
  });
  answer.catch(() => {}); // nobody will answer it
  while (seen.stdout.length === 0) await new Promise((r) => setTimeout(r, 5));
  child.stdin.end();
  const [code] = await once(child, "exit");
  assert.equal(code, 1);
  assert.throws(() => process.kill(seen.pid, 0), { code: "ESRCH" });
});
