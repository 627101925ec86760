// The settings. Those that choose the binary, the policy or the sandbox are the
// person's own: what a workspace says about them is never read.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";

import type { InitializationOptions } from "../../protocol/protocol.js";
import type { Places } from "./server-locator.js";

/** VS Code keeps machine settings out of workspaces by their scope; this doesn't rely on it. */
function own<T>(key: string): T | undefined {
  const found = vscode.workspace.getConfiguration("pillion").inspect<T>(key);
  return found?.globalValue ?? found?.defaultValue ?? undefined;
}

export interface ServerSettings {
  places: Places;
  args: string[];
  env: NodeJS.ProcessEnv;
}

export function server(extensionPath: string): ServerSettings {
  const env = { ...process.env };
  for (const [name, value] of Object.entries(own<Record<string, string | null>>("server.env") ?? {})) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  const windows = process.platform === "win32";
  const name = windows ? "pillion.exe" : "pillion";
  return {
    args: own<string[]>("server.args") ?? [],
    env,
    places: {
      configured: own<string>("server.path") ?? "",
      // In the .vsix; in a clone, which has sources, what the repository has built.
      bundled: [join(extensionPath, "bin", name), ...existsSync(join(extensionPath, "src")) ? [join(extensionPath, "..", "..", "dist", name)] : []],
      path: env.PATH ?? "",
      home: homedir(),
      windows,
    },
  };
}

const sandbox = ["mode", "network", "reads", "require"] as const;

/** The options of `initialize`; what is not set stays away, so that the server's own defaults hold. */
export function initializationOptions(): InitializationOptions {
  const options: Record<string, unknown> = {};
  const set = (key: string, value: unknown) => { if (value !== undefined) options[key] = value; };
  const filled = (object: Record<string, unknown>) => (Object.values(object).some((v) => v !== undefined) ? object : undefined);
  set("profile", own("profile"));
  set("policy", filled({ ...own<object>("policy") }));
  set("sandbox", filled(Object.fromEntries(sandbox.map((key) => [key, own(`sandbox.${key}`)]))));
  set("limits", filled({ ...own<object>("limits"), timeoutMs: own<number>("timeout") }));
  return options;
}

/** Messages between the editor and pillion in the log; nothing depends on it. */
export const trace = (): string => vscode.workspace.getConfiguration("pillion").get("trace.server", "off");
