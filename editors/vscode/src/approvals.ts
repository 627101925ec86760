// Puts the guard's questions to the person. No answer is a no.

import * as vscode from "vscode";

import type { ApprovalParams, ApprovalResult } from "../../typescript/protocol.js";
import { question } from "./question.js";

const decline: ApprovalResult = { decision: "decline" };

interface Button extends vscode.MessageItem {
  decision: string;
}

/** The first one is pressed by Enter, which may have been meant for the editor: the dialog takes the keyboard. */
const buttons: Button[] = [
  { title: "Decline", decision: "decline" },
  { title: "Accept", decision: "accept" },
  { title: "Accept for Session", decision: "acceptForSession" },
  { title: "Edit…", decision: "edit" },
];

export class Approvals {
  private turn: Promise<unknown> = Promise.resolve();

  /** One question at a time: one that is withdrawn while it waits is never shown. */
  ask(params: ApprovalParams, token: vscode.CancellationToken): Promise<ApprovalResult> {
    const answer = this.turn.then(() => this.answer(params, token)).catch(() => decline);
    this.turn = answer;
    return answer;
  }

  private async answer(params: ApprovalParams, token: vscode.CancellationToken): Promise<ApprovalResult> {
    const withdrawn = new Promise<ApprovalResult>((resolve) => token.onCancellationRequested(() => resolve(decline)));
    if (token.isCancellationRequested) return decline;
    return Promise.race([withdrawn, this.modal(params, token)]);
  }

  private async modal(params: ApprovalParams, token: vscode.CancellationToken): Promise<ApprovalResult> {
    const { message, detail } = question(params);
    const offered = buttons.filter((b) => params.availableDecisions.includes(b.decision) && (b.decision !== "edit" || params.subject.command !== undefined));
    const pressed = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...offered);
    if (!pressed || pressed.decision === "decline") return decline;
    if (token.isCancellationRequested) {
      // A dialog can't be closed from here.
      void vscode.window.showInformationMessage("pillion: the question had been withdrawn before it was answered; nothing was accepted.");
      return decline;
    }
    return pressed.decision === "edit" ? edit(params.subject.command!, token) : { decision: pressed.decision };
  }
}

async function edit(command: string, token: vscode.CancellationToken): Promise<ApprovalResult> {
  const edited = command.includes("\n") ? await inDocument(command) : await vscode.window.showInputBox({
    title: "pillion: run this instead", value: command, ignoreFocusOut: true, prompt: "It is judged like any other command. Escape declines.",
  }, token);
  return edited?.trim() ? { decision: "edit", command: edited } : decline;
}

/** An input box has one line only. */
async function inDocument(command: string): Promise<string | undefined> {
  const document = await vscode.workspace.openTextDocument({ language: "shellscript", content: command });
  await vscode.window.showTextDocument(document);
  const pressed = await vscode.window.showInformationMessage("pillion: edit the command in the editor, then run it.", "Run", "Decline");
  return pressed === "Run" ? document.getText() : undefined;
}
