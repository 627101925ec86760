// Offers pillion to VS Code's own agents as an MCP server, where both know how. It is
// a program of its own, pillion-mcp, that lies beside pillion.

import { execFile } from "node:child_process";
import { dirname, extname, join } from "node:path";
import * as vscode from "vscode";

import { changed as difference } from "./child.js";
import { initializationOptions, server } from "./config.js";
import { locate } from "./server-locator.js";

/** Stable since 1.101, so not in the types of the oldest version that is supported. */
interface McpApi {
  registerMcpServerDefinitionProvider(id: string, provider: Provider): vscode.Disposable;
}
interface Provider {
  onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions(): Promise<object[]>;
}
type StdioServer = new (label: string, command: string, args: string[], env: Record<string, string | null>, version: string) => object;

export function provideMcp(extensionPath: string, log: (message: string) => void): vscode.Disposable | undefined {
  const Definition = (vscode as unknown as { McpStdioServerDefinition?: StdioServer }).McpStdioServerDefinition;
  const none = (why: string) => { log(`no MCP server is offered: ${why}`); return []; };
  const changed = new vscode.EventEmitter<void>();
  try {
    if (!Definition) return undefined;
    // 1.100 has the function, and it throws.
    const provider = (vscode.lm as unknown as McpApi).registerMcpServerDefinitionProvider("pillion", {
      onDidChangeMcpServerDefinitions: changed.event,
      async provideMcpServerDefinitions() {
        const { places, env } = server(extensionPath);
        const found = await locate(places).catch(() => undefined);
        if (!found) return none("there is no pillion");
        // It has the person's policy.toml and no other settings: what they tighten here
        // would not hold there.
        if (Object.keys(initializationOptions()).length > 0) return none("settings of pillion in VS Code would not hold for it; policy.toml does");
        const path = join(dirname(found.path), `pillion-mcp${extname(found.path)}`);
        const version = await versionOf(path);
        return version === found.version ? [new Definition("pillion", path, [], difference(process.env, env), version)] : none(`${path} is ${version ?? "not there"}`);
      },
    });
    const settings = vscode.workspace.onDidChangeConfiguration((e) => { if (e.affectsConfiguration("pillion")) changed.fire(); });
    return vscode.Disposable.from(provider, settings, changed);
  } catch (error) {
    none(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function versionOf(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(path, ["--version"], { timeout: 10_000, windowsHide: true }, (error, stdout) => resolve(error ? undefined : /^pillion-mcp (\S+)/.exec(stdout)?.[1]));
  });
}
