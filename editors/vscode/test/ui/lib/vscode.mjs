// A real VS Code: its server with the extension installed, in a directory of its
// own, on loopback. It takes with it whatever it started.

import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import processes from "./processes.cjs";
import until from "./until.cjs";

const settings = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "update.mode": "none",
  "git.enabled": false,
  "remote.autoForwardPorts": false,
  // Drawn by the DOM, a terminal's text can be read as well as seen.
  "terminal.integrated.gpuAcceleration": "off",
  // So that notifications don't hide what a terminal says.
  "workbench.panel.opensMaximized": "always",
  "workbench.colorTheme": "Default Dark Modern",
  "chat.disableAIFeatures": true,
};

/** install: what install-vscode.sh made; vsix: one extension, or several; user: settings. Tests inside write to `results`. */
export async function startVSCode({ install, vsix, user = {}, args = [] }) {
  const root = await mkdtemp(join(tmpdir(), "pillion-in-vscode-"));
  const mark = randomBytes(8).toString("hex");
  const home = join(root, "home");
  const results = join(root, "results");
  await Promise.all(["home", "ext", "data/User", "ws"].map((dir) => mkdir(join(root, dir), { recursive: true })));
  await writeFile(join(root, "data/User/settings.json"), JSON.stringify({ ...settings, ...user }));

  const options = { env: { ...clean(), HOME: home, PILLION_TEST_MARK: mark, PILLION_TEST_LOG: results }, cwd: root };
  const node = join(install, "node/bin/node");
  const common = [
    join(install, "vscode/out/server-main.js"),
    "--server-data-dir", root, "--extensions-dir", join(root, "ext"), "--accept-server-license-terms",
  ];
  await promisify(execFile)(node, [...common, ...[vsix].flat().flatMap((one) => ["--install-extension", one])], options);
  const server = spawn(node, [
    ...common, "--host", "127.0.0.1", "--port", "0", "--without-connection-token", "--telemetry-level", "off", ...args,
  ], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.setEncoding("utf8").on("data", (text) => { log += text; });
  const exited = new Promise((resolve) => server.once("exit", resolve));

  const stop = async () => {
    server.kill();
    const left = () => processes.withEnv("PILLION_TEST_MARK", mark);
    try {
      await until("the end of what VS Code started", () => left().length === 0);
    } finally {
      for (const { pid } of left()) process.kill(pid, "SIGKILL");
      await exited;
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    }
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop().finally(() => process.exit(1)));
  try {
    const port = await until("the server's port", () => {
      if (server.exitCode !== null) throw new Error(`VS Code's server has ended:\n${log}`);
      return /agent listening on (\d+)/.exec(log)?.[1];
    }, 60_000);
    return { root, home, results, stop, log: () => log, authority: `127.0.0.1:${port}`, url: (query) => `http://127.0.0.1:${port}/?${new URLSearchParams(query)}` };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The environment without what this machine's user has set for other editors and for pillion. */
function clean() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(XDG_|VSCODE_|PILLION_|npm_|NODE_|ELECTRON_)/.test(name)));
}

export const read = (file) => readFile(file, "utf8").catch(() => "");
