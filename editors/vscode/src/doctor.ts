// `pillion doctor` as a document that can be read and is never asked to be saved.

import { execFile } from "node:child_process";
import * as vscode from "vscode";

import { server } from "./config.js";
import { locate } from "./server-locator.js";

const uri = vscode.Uri.parse("pillion:doctor");

export class Doctor implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly extensionPath: string) {}

  async provideTextDocumentContent(): Promise<string> {
    const { places, env } = server(this.extensionPath);
    try {
      const found = await locate(places);
      return `${found.path} (${found.from})\n${await output(found.path, env)}`;
    } catch (error) {
      return `${error instanceof Error ? error.message : error}\n`;
    }
  }

  async show(): Promise<void> {
    this.changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }
}

/** It exits with 1 if something is missing, and says what. */
function output(path: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    execFile(path, ["doctor"], { env, timeout: 60_000, windowsHide: true }, (error, stdout, stderr) => {
      resolve(stdout + stderr || (error?.message ?? ""));
    });
  });
}
