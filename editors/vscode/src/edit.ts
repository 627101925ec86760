// Lets a person change a command.

import * as vscode from "vscode";

/** undefined: they would rather not. */
export function edited(command: string, box: vscode.InputBoxOptions, token?: vscode.CancellationToken): Thenable<string | undefined> {
  return command.includes("\n") ? inDocument(command) : vscode.window.showInputBox({ ...box, value: command }, token);
}

/** An input box has one line only, and would join those of a text that has more. */
async function inDocument(command: string): Promise<string | undefined> {
  const document = await vscode.workspace.openTextDocument({ language: "shellscript", content: command });
  await vscode.window.showTextDocument(document);
  const pressed = await vscode.window.showInformationMessage("pillion: edit the command in the editor, then run it.", "Run", "Decline");
  return pressed === "Run" ? document.getText() : undefined;
}
