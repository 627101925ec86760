// A sidecar in a temporary world of its own, with a connection to it.

import { spawn } from "node:child_process";
import { mkdtemp, mkdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import rpc from "vscode-jsonrpc/node.js";

export const { CancellationTokenSource } = rpc;

export async function start() {
  const bin = process.env.PILLION_BIN;
  if (!bin) throw new Error("set PILLION_BIN to the built binary");
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "pillion-node-")));
  const folder = path.join(root, "ws");
  await mkdir(folder);
  const child = spawn(path.resolve(bin), ["serve"], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: root, XDG_CACHE_HOME: path.join(root, "cache"), XDG_STATE_HOME: path.join(root, "state") },
  });
  let log = "";
  child.stderr.on("data", (chunk) => { log += chunk; });
  const exited = new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal)));

  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout),
    new rpc.StreamMessageWriter(child.stdin),
    quiet,
  );
  connection.listen();
  return {
    folder, child, connection, exited,
    log: () => log,
    initialize: (capabilities, options) => initialize(connection, folder, capabilities, options),
    async stop() { // whatever state a failed test left it in
      connection.dispose();
      child.stdin.destroy();
      await exited;
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function initialize(connection, folder, capabilities = {}, options = {}) {
  const result = await connection.sendRequest("initialize", {
    processId: process.pid,
    clientInfo: { name: "node-test" },
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "ws" }],
    capabilities: { general: { positionEncodings: ["utf-16"] }, ...capabilities },
    initializationOptions: { protocolVersion: 1, ...options },
  });
  await connection.sendNotification("initialized", {});
  return result;
}

/** Runs a command with its output streamed; events() is what has come so far. */
export function exec(connection, params, token) {
  const partialResultToken = params.execId;
  const events = [];
  let started;
  const running = new Promise((resolve) => { started = resolve; });
  const listening = connection.onProgress(new rpc.ProgressType(), partialResultToken, (event) => {
    events.push(event);
    if (event.type === "started") started(event);
  });
  const done = connection
    .sendRequest("exec", { ...params, partialResultToken }, ...(token ? [token] : []))
    .finally(() => listening.dispose());
  return { done, running, events, output: (stream) => output(events, stream) };
}

function output(events, stream) {
  const chunks = events
    .filter((e) => e.type === "output" && e.stream === stream)
    .map((e) => (e.text === undefined ? Buffer.from(e.data, "base64") : Buffer.from(e.text)));
  return Buffer.concat(chunks).toString();
}

// The library logs the answer to a broken frame, which has no id, as an error.
const quiet = { error() {}, warn() {}, info() {}, log() {} };
