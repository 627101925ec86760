// Offers the sidecar to VS Code as an MCP server, where both know how.

import { execFile } from "node:child_process";
import * as vscode from "vscode";

import { server } from "./config.js";
import { locate } from "./server-locator.js";

/** Stable since 1.101, so not in the types of the oldest version that is supported. */
interface McpApi {
  registerMcpServerDefinitionProvider(id: string, provider: { provideMcpServerDefinitions(): Promise<object[]> }): vscode.Disposable;
}
type StdioServer = new (label: string, command: string, args: string[], env: Record<string, string>, version: string) => object;

export function provideMcp(extensionPath: string, log: (message: string) => void): vscode.Disposable | undefined {
  const Definition = (vscode as unknown as { McpStdioServerDefinition?: StdioServer }).McpStdioServerDefinition;
  try {
    if (!Definition) return undefined;
    // 1.100 has the function, and it throws.
    return (vscode.lm as unknown as McpApi).registerMcpServerDefinitionProvider("pillion", {
      async provideMcpServerDefinitions() {
        const { places, env } = server(extensionPath);
        const found = await locate(places).catch(() => undefined);
        if (!found || !await serves(found.path)) return [];
        return [new Definition("pillion", found.path, ["mcp"], text(env), found.version)];
      },
    });
  } catch (error) {
    log(`no MCP server is offered: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

/** Older sidecars know no `mcp`. */
function serves(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(path, ["mcp", "--help"], { timeout: 10_000, windowsHide: true }, (error) => resolve(!error));
  });
}

/** The environment of the settings alone; VS Code adds its own. */
function text(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((e): e is [string, string] => e[1] !== undefined && e[1] !== process.env[e[0]]));
}
