// What a click on the status item offers.

import * as vscode from "vscode";

import type { Session } from "./session.js";

const items: { label: string; command: string; argument?: string }[] = [
  { label: "$(play) Run Command…", command: "pillion.run" },
  { label: "$(refresh) Rerun Last Command", command: "pillion.rerun" },
  { label: "$(debug-stop) Cancel Command…", command: "pillion.cancel" },
  { label: "$(discard) Undo a Command…", command: "pillion.undo" },
  { label: "$(diff) Review a Command's Changes…", command: "pillion.review" },
  { label: "$(output) Show Log", command: "pillion.showOutput" },
  { label: "$(pulse) Doctor: What Does This Machine Enforce?", command: "pillion.doctor" },
  { label: "$(debug-restart) Restart Server", command: "pillion.restart" },
  { label: "$(gear) Settings", command: "workbench.action.openSettings", argument: "@ext:pillion.pillion" },
  { label: "$(info) Show Version", command: "pillion.showVersion" },
];

export async function menu(session: Session): Promise<void> {
  const { state } = session;
  const placeHolder = state.kind === "failed" ? state.message : `pillion: ${state.kind}`;
  const picked = await vscode.window.showQuickPick(items, { placeHolder });
  if (picked) await vscode.commands.executeCommand(picked.command, picked.argument);
}
