// Puts the guard's questions to the person. No answer is a no.

import * as vscode from "vscode";

import type { ApprovalParams, ApprovalResult, Choice } from "../../protocol/protocol.js";
import { edited } from "./edit.js";
import { bracketed } from "./lines.js";
import { unlinked, visible } from "./text.js";

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

/** What the commands of the tool for agents say of where they come from; nothing else is sent with it. */
export const agent = "an agent in VS Code";

const answerCommand = "pillion.answerQuestion";

export class Approvals implements vscode.Disposable {
  private readonly dialogs = new Queue();
  private readonly agents = new Queue();
  private look: (() => void) | undefined;
  private readonly command = vscode.commands.registerCommand(answerCommand, () => this.look?.());

  dispose(): void {
    this.command.dispose();
  }

  /** One question at a time: one that is withdrawn while it waits is never shown. */
  ask(params: ApprovalParams, token: vscode.CancellationToken): Promise<ApprovalResult> {
    const dialog = () => this.dialogs.next(() => this.answer(token, () => this.modal(params, token)));
    if (params.description !== agent) return dialog();
    return this.agents.next(() => this.answer(token, async () => await this.announced(params, token) ? dialog() : decline));
  }

  private async answer(token: vscode.CancellationToken, ask: () => Promise<ApprovalResult>): Promise<ApprovalResult> {
    const withdrawn = new Promise<ApprovalResult>((resolve) => token.onCancellationRequested(() => resolve(decline)));
    if (token.isCancellationRequested) return decline;
    return Promise.race([withdrawn, ask()]).catch(() => decline);
  }

  /** Who asks is in the background, so the person goes on with what they do until they look. Nothing
   * is accepted from here: a notification shows neither the whole command nor why it is asked about.
   * It goes to the bell after a while; the status item stays. */
  private async announced(params: ApprovalParams, token: vscode.CancellationToken): Promise<boolean> {
    const item = vscode.window.createStatusBarItem("pillion.question", vscode.StatusBarAlignment.Left, 0);
    Object.assign(item, {
      name: "pillion: question", text: "$(question) pillion: an agent asks", command: answerCommand,
      tooltip: visible(params.title), backgroundColor: new vscode.ThemeColor("statusBarItem.warningBackground"),
    });
    item.show();
    try {
      return await new Promise((resolve) => {
        token.onCancellationRequested(() => resolve(false));
        this.look = () => resolve(true);
        const text = `pillion: an agent asks: ${unlinked(params.title)}`;
        void vscode.window.showWarningMessage(text, "Answer…", "Decline").then((pressed) => {
          if (pressed === "Answer…" && token.isCancellationRequested) tooLate();
          resolve(pressed === "Answer…");
        });
      });
    } finally {
      this.look = undefined;
      item.dispose();
    }
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

/** One after the other. */
class Queue {
  private last: Promise<unknown> = Promise.resolve();

  next<T>(ask: () => Promise<T>): Promise<T> {
    const mine = this.last.then(ask);
    this.last = mine.catch(() => {});
    return mine;
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
