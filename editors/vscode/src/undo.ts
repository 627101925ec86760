// The effects of commands on files: looked at, and taken back.

import { readFile } from "node:fs/promises";

import * as vscode from "vscode";

import type { Effect, UndoResult } from "../../protocol/protocol.js";
import { RunTerminal } from "./pty.js";
import type { Session } from "./session.js";
import { iconless, unlinked } from "./text.js";

const scheme = "pillion-before";

/** A notification has room for so many lines. */
const maxTold = 4;

/** At most this much of a file is shown beside what is there. */
const maxShown = 4 << 20;

interface Link extends vscode.TerminalLink {
  id: string;
  what: "review" | "undo";
}

export class Undo implements vscode.TextDocumentContentProvider, vscode.TerminalLinkProvider<Link> {
  /** A document's text, by its name: a link from elsewhere can't name another file. */
  private readonly kept = new Map<string, string>();

  constructor(private readonly session: Session) {}

  register(): vscode.Disposable[] {
    return [
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.window.registerTerminalLinkProvider(this),
      vscode.commands.registerCommand("pillion.undo", (id?: string) => this.told(() => this.undo(id))),
      vscode.commands.registerCommand("pillion.review", (id?: string) => this.told(() => this.review(id))),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => { if (uri.scheme === scheme) this.kept.delete(uri.query); }),
    ];
  }

  /** Takes back what a command did; without its id a person chooses one. */
  private async undo(id?: string, force = false): Promise<UndoResult | undefined> {
    const execId = id ?? await this.pick("The command to undo");
    if (execId === undefined) return undefined;
    const client = await this.session.get();
    const result = await client.undo({ execId, ...(force ? { force } : {}) });
    void this.tell(execId, result);
    return result;
  }

  private async tell(id: string, { display, left, undoId }: UndoResult): Promise<void> {
    const more = display.length > maxTold ? `; and ${display.length - maxTold} more` : "";
    const sentence = unlinked(`pillion: ${display.slice(0, maxTold).map(({ text }) => text).join("; ")}${more}`);
    if (left.length === 0) {
      const pressed = await vscode.window.showInformationMessage(sentence, "Redo");
      if (pressed && undoId) await vscode.commands.executeCommand("pillion.undo", undoId);
      return;
    }
    const pressed = await vscode.window.showWarningMessage(sentence, "Restore These, Too");
    if (pressed) await this.told(() => this.undo(id, true));
  }

  /** Shows what was there beside what is there, in VS Code's own view of changes. */
  private async review(id?: string): Promise<number | undefined> {
    const execId = id ?? await this.pick("The command to review");
    if (execId === undefined) return undefined;
    const client = await this.session.get();
    const { effects } = await client.effects(execId);
    const files = new Map<string, [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined]>();
    for (const effect of effects) {
      const row = await this.compared(effect);
      if (row && !files.has(effect.path)) files.set(effect.path, row);
    }
    if (files.size === 0) void vscode.window.showInformationMessage("pillion: only names, modes or times were changed.");
    else await vscode.commands.executeCommand("vscode.changes", "pillion: changes of a command", [...files.values()]);
    return files.size;
  }

  private async compared({ kind, path, to, kept }: Effect): Promise<[vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined] | undefined> {
    const now = vscode.Uri.file(to ?? path);
    const there = await vscode.workspace.fs.stat(now).then(({ type }) => type, () => undefined);
    const file = there !== undefined && (there & vscode.FileType.File) !== 0;
    if (kept !== undefined) return [now, this.before(path, kept), file ? now : undefined];
    return kind === "created" && file ? [now, undefined, now] : undefined;
  }

  private before(path: string, kept: string): vscode.Uri {
    this.kept.set(kept, kept);
    return vscode.Uri.file(path).with({ scheme, query: kept });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const kept = this.kept.get(uri.query);
    return kept === undefined ? "" : (await readFile(kept)).subarray(0, maxShown).toString();
  }

  private async pick(placeHolder: string): Promise<string | undefined> {
    const client = await this.session.get();
    const { execs } = await client.undoable();
    if (execs.length === 0) void vscode.window.showInformationMessage("pillion: there is nothing to undo.");
    const items = execs.filter((e) => e.ended).map((e) => ({ label: iconless(e.command), description: e.text, id: e.id }));
    return items.length === 0 ? undefined : (await vscode.window.showQuickPick(items, { placeHolder }))?.id;
  }

  private async told<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      void vscode.window.showErrorMessage(unlinked(`pillion: ${error instanceof Error ? error.message : String(error)}`));
      return undefined;
    }
  }

  /** The line below a command's output. */
  provideTerminalLinks({ line, terminal }: vscode.TerminalLinkContext): Link[] {
    const { pty } = terminal.creationOptions as vscode.ExtensionTerminalOptions;
    if (!(pty instanceof RunTerminal) || pty.changed === undefined || !/^pillion: files: .* · review · undo$/.test(line)) return [];
    const id = pty.changed;
    return (["review", "undo"] as const).map((what) => ({ id, what, startIndex: line.lastIndexOf(what), length: what.length }));
  }

  async handleTerminalLink({ id, what }: Link): Promise<void> {
    await vscode.commands.executeCommand(`pillion.${what}`, id);
  }
}
