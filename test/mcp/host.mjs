// A host with the official SDK's client, in a temporary world of its own.

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export const bin = path.resolve(process.env.PILLION_MCP_BIN ?? "../../dist/pillion-mcp");

/** Directories that no other test has. */
export async function world() {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "pillion-mcp-")));
  const folder = path.join(root, "ws");
  await mkdir(folder);
  await mkdir(path.join(root, ".config", "pillion"), { recursive: true });
  return {
    root, folder,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", // what is in a home is not there for commands of this HOME
      HOME: root, XDG_CACHE_HOME: path.join(root, "cache"), XDG_STATE_HOME: path.join(root, "state") },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/**
 * Starts pillion-mcp and connects. ask answers elicitations; without it the host has
 * none. roots are folders; null: the host has no roots. policy is the user's.
 */
export async function connect(t, { ask, roots, policy, prepare, args = () => [] } = {}) {
  const w = await world();
  if (policy) await writeFile(path.join(w.root, ".config", "pillion", "policy.toml"), policy);
  await prepare?.(w);
  const capabilities = {};
  if (ask) capabilities.elicitation = { form: {} };
  if (roots !== null) capabilities.roots = { listChanged: true };
  const client = new Client({ name: "sdk-test", version: "1" }, { capabilities });
  const host = { ...w, client, roots: roots ?? [w.folder], asked: [] };
  if (ask) {
    client.setRequestHandler(ElicitRequestSchema, (request, extra) => {
      host.asked.push(request.params);
      return ask(request.params, extra);
    });
  }
  if (roots !== null) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: host.roots.map((f) => ({ uri: pathToFileURL(f).href, name: path.basename(f) })),
    }));
  }
  const transport = new StdioClientTransport({ command: bin, args: args(w), env: w.env, cwd: w.folder, stderr: "pipe" });
  host.log = "";
  transport.stderr.on("data", (chunk) => { host.log += chunk; });
  await client.connect(transport);
  host.pid = transport.pid;
  t.after(async () => {
    await client.close();
    await w.remove();
  });
  return Object.assign(host, {
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    exec: (command, options) => client.callTool({ name: "exec", arguments: typeof command === "string" ? { command } : command }, undefined, options),
  });
}

/** Speaks to pillion-mcp without any library: write is a line, lines are what came. */
export function raw(w, args = []) {
  const child = spawn(bin, args, { env: w.env, cwd: w.folder, stdio: ["pipe", "pipe", "pipe"] });
  let out = "";
  const waiting = [];
  child.stdout.on("data", (chunk) => {
    out += chunk;
    for (const wake of waiting.splice(0)) wake();
  });
  child.stderr.resume();
  const exited = new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal)));
  const messages = () => out.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const answer = async (id) => {
    for (;;) {
      const found = messages().find((m) => m.id === id && !m.method);
      if (found) return found;
      await new Promise((resolve) => waiting.push(resolve));
    }
  };
  return {
    child, exited, messages, answer,
    all: () => out,
    send: (message) => child.stdin.write((typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })) + "\n"),
    async initialize(capabilities = {}) {
      this.send({ id: "init", method: "initialize", params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "raw", version: "1" } } });
      const result = await answer("init");
      this.send({ method: "notifications/initialized" });
      return result;
    },
  };
}

export const text = (result) => result.content.map((c) => c.text).join("\n");

/** The processes whose command line begins with text. */
export async function processes(text) {
  const found = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (line.replaceAll("\0", " ").startsWith(text)) found.push(Number(pid));
  }
  return found;
}
