// A session with pillion on the other side of an ssh, and what runs over there.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const rpc = createRequire(new URL("../node/", import.meta.url))("vscode-jsonrpc/node.js");
export const { CancellationTokenSource } = rpc;

export const work = process.env.work;
export const home = path.join(work, "home");
export const folder = path.join(home, "ws");
export const pillion = path.join(work, "bin/pillion");
export const soon = 10_000; // ms; a busy machine is not a failure

/** The arguments of ssh for a session on host. */
export const serve = (host, ...options) => [...options, "-F", path.join(work, "config"), "-T", host, `${pillion} serve`];

/** Speaks with what argv starts. */
export function connect(argv, command = "ssh") {
  const child = spawn(command, argv, { stdio: ["pipe", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => { log += chunk; });
  child.stdin.on("error", () => {}); // the other side may be gone; tests look at that themselves
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin), quiet);
  const broken = new Promise((resolve) => connection.onError(([error]) => resolve(error)));
  connection.listen();
  const exited = new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal)));
  return {
    child, connection, broken, exited, log: () => log,
    kill() { // with what was not read of it, which would keep node waiting
      connection.dispose();
      child.kill("SIGKILL");
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    },
    async initialize(options = {}) {
      const result = await connection.sendRequest("initialize", {
        processId: null, clientInfo: { name: "ssh-test" }, capabilities: { exec: { approval: true } },
        workspaceFolders: [{ uri: `file://${folder}`, name: "ws" }], ...options,
      });
      await connection.sendNotification("initialized", {});
      return result;
    },
    /** Starts a command with its output streamed. */
    exec(params, ...token) {
      const run = { bytes: Buffer.alloc(0), waiting: [] };
      run.until = (text) => new Promise((resolve) => {
        run.waiting.push(() => run.bytes.includes(text) && resolve());
        run.waiting.at(-1)();
      });
      connection.onProgress(new rpc.ProgressType(), params.execId, (e) => {
        if (e.type !== "output") return;
        assert.equal(e.offset, run.bytes.length);
        run.bytes = Buffer.concat([run.bytes, e.text === undefined ? Buffer.from(e.data, "base64") : Buffer.from(e.text)]);
        run.waiting.forEach((f) => f());
      });
      run.done = connection.sendRequest("exec", { ...params, partialResultToken: params.execId }, ...token);
      run.done.catch(() => {}); // of a session that a test ends
      return run;
    },
  };
}

/** A session with a command in it that does not end by itself, and ignores SIGTERM. */
export async function busy(host, ...options) {
  const session = connect(serve(host, ...options));
  await session.initialize();
  const run = session.exec({ execId: "busy", command: "trap '' TERM; setsid sleep 600 & echo up; sleep 600", timeoutMs: 600_000 });
  await run.until("up");
  await until(() => theirs().filter((p) => p.line === "sleep 600").length >= 2);
  return { ...session, run };
}

/** The processes of the other machine's user, its two sshd left out. */
export function theirs() {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(proc).filter((p) => p && !p.listens);
}

function proc(pid) {
  try {
    if (statSync(`/proc/${pid}`).uid !== 4242 && !/\nUid:\t4242\t/.test(readFileSync(`/proc/${pid}/status`, "utf8"))) return null;
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    if (/^State:\tZ/m.test(status)) return null;
    const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return { pid: Number(pid), parent: Number(/^PPid:\t(\d+)/m.exec(status)[1]), line, listens: line.includes("[listener]") };
  } catch {
    return null; // it has ended
  }
}

export const sidecars = () => theirs().filter((p) => p.line === `${pillion} serve`);

/** The sshd that serves the one session there is. */
export function sessionOfSshd() {
  const found = theirs().filter((p) => p.line.startsWith("sshd: dev@"));
  assert.equal(found.length, 1, JSON.stringify(found));
  return found[0].pid;
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** The same for what should have happened by then: it keeps nobody waiting. */
export const late = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Waits for what must come true. */
export async function until(holds, within = soon) {
  for (const began = Date.now(); !holds() && Date.now() - began < within;) await pause(20);
  assert.ok(holds(), `still not so: ${holds}, with ${JSON.stringify(theirs())}`);
}

/** Waits until nothing of the session is left over there: no process, no file. */
export async function nothingLeft(within = soon) {
  await until(() => theirs().length === 0, within);
  assert.deepEqual([...files(".cache/pillion/spool"), ...files(".local/state/pillion/sandboxes")], []);
}

function files(name) {
  try {
    return readdirSync(path.join(home, name));
  } catch {
    return [];
  }
}

/** The network of both machines, which is lo. */
export const network = (state) => execFileSync("ip", ["link", "set", "lo", state]);

// The library logs the answer to a broken frame, which has no id, as an error.
const quiet = { error() {}, warn() {}, info() {}, log() {} };
