// Tasks of the type "pillion" in tasks.json.

import { resolve } from "node:path";
import * as vscode from "vscode";

import { folders, NoFolder } from "./folders.js";
import { RunTerminal } from "./pty.js";
import type { Runner } from "./runner.js";

interface Definition extends vscode.TaskDefinition {
  command: string;
  cwd?: string;
  timeoutMs?: number;
  env?: Record<string, string>;
}

export class Tasks implements vscode.TaskProvider {
  constructor(private readonly runner: Runner) {}

  /** All tasks are in tasks.json; nothing is guessed. */
  provideTasks(): vscode.Task[] {
    return [];
  }

  resolveTask(task: vscode.Task): vscode.Task | undefined {
    const definition = task.definition as Definition;
    if (typeof definition.command !== "string" || definition.command === "") return undefined;
    const scope = task.scope ?? vscode.TaskScope.Workspace;
    // Variables such as ${file} are filled in only in the definition that execution is given.
    const execution = new vscode.CustomExecution(async (resolved) => {
      const { command, cwd, timeoutMs, env } = resolved as Definition;
      return new RunTerminal(this.runner, { command, cwd: resolve(directory(scope), cwd ?? "."), timeoutMs, env }, true);
    });
    return new vscode.Task(definition, scope, task.name || definition.command, "pillion", execution, task.problemMatchers);
  }
}

function directory(scope: vscode.Task["scope"]): string {
  const folder = typeof scope === "object" ? scope : folders()[0];
  if (!folder) throw new NoFolder();
  return folder.uri.fsPath;
}
