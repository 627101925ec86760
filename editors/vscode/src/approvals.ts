// Puts the guard's questions to the person. No answer is a no.

import * as vscode from "vscode";

import type { ApprovalParams, ApprovalResult, Choice } from "../../protocol/protocol.js";
import { edited } from "./edit.js";
import { bracketed } from "./lines.js";

const decline: ApprovalResult = { decision: "decline" };

interface Button extends vscode.MessageItem {
  decision: Choice;
}

/** The first one is pressed by Enter, which may have been meant for the editor: the dialog takes the keyboard. */
const buttons: Button[] = [
  { title: "Decline", decision: "decline" },
  { title: "Accept", decision: "accept" },
  { title: "Accept for Session", decision: "acceptForSession" },
  { title: "Always Accept", decision: "acceptAlways" },
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
    const [title, ...rest] = params.display;
    const offered = buttons.filter((b) => params.availableDecisions.includes(b.decision) && (b.decision !== "edit" || params.subject.command !== undefined));
    const pressed = await vscode.window.showWarningMessage(title!.text, { modal: true, detail: bracketed(rest) }, ...offered);
    if (!pressed || pressed.decision === "decline") return decline;
    if (token.isCancellationRequested) return tooLate();
    return pressed.decision === "edit" ? edit(params.subject.command!, token) : { decision: pressed.decision };
  }
}

/** Neither a dialog nor a notification can be closed from here. */
function tooLate(): ApprovalResult {
  void vscode.window.showInformationMessage("pillion: the question had been withdrawn before it was answered; nothing was accepted.");
  return decline;
}

async function edit(command: string, token: vscode.CancellationToken): Promise<ApprovalResult> {
  const text = await edited(command, { title: "pillion: run this instead", ignoreFocusOut: true, prompt: "It is judged like any other command. Escape declines." }, token);
  if (!text?.trim()) return decline;
  return token.isCancellationRequested ? tooLate() : { decision: "edit", command: text };
}
