// The folders that are open, and in which of them a command runs.

import * as vscode from "vscode";

import type { FoldersEvent, WorkspaceFolder } from "../../protocol/protocol.js";

const local = (folder: vscode.WorkspaceFolder) => folder.uri.scheme === "file";
const wire = (folder: vscode.WorkspaceFolder): WorkspaceFolder => ({ uri: folder.uri.toString(), name: folder.name });

export const folders = (): vscode.WorkspaceFolder[] => (vscode.workspace.workspaceFolders ?? []).filter(local);
export const onWire = (some: readonly vscode.WorkspaceFolder[]): WorkspaceFolder[] => some.filter(local).map(wire);

/** Folders that came and went between two moments. */
export function changes(before: readonly vscode.WorkspaceFolder[], now: readonly vscode.WorkspaceFolder[]): FoldersEvent {
  const without = (some: readonly vscode.WorkspaceFolder[], others: readonly vscode.WorkspaceFolder[]) =>
    onWire(some.filter((a) => !others.some((b) => a.uri.toString() === b.uri.toString())));
  return { added: without(now, before), removed: without(before, now) };
}

export class NoFolder extends Error {
  constructor() {
    super("Open a folder first: pillion runs commands inside the folders of the workspace.");
  }
}

/** The folder of the active editor, else the only one, else one that a person picks; undefined: they didn't. */
export async function workingDirectory(): Promise<string | undefined> {
  const open = folders();
  if (open.length === 0) throw new NoFolder();
  const document = vscode.window.activeTextEditor?.document.uri;
  const active = document && vscode.workspace.getWorkspaceFolder(document);
  if (active && local(active)) return active.uri.fsPath;
  if (open.length === 1) return open[0]!.uri.fsPath;
  const items = open.map((folder) => ({ label: folder.name, description: folder.uri.fsPath }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: "The folder to run the command in" });
  return picked?.description;
}
