// What the command palette offers.

import * as vscode from "vscode";

import { edited } from "./edit.js";
import { NoFolder, workingDirectory } from "./folders.js";
import { RunTerminal } from "./pty.js";
import type { Active, Job, Report, Runner } from "./runner.js";
import { inSettings } from "./start-error.js";
import { iconless, shortened, unlinked, visible } from "./text.js";

/** Of `pillion.run`, for key bindings and other extensions; a plain string is the command. */
export type RunArgs = string | { command?: string; cwd?: string; timeoutMs?: number };

/** How long a command may take before there is a progress notification. */
const progressAfterMs = 1000;

export class Commands {
  /** Terminals whose command has ended, by name: the next one of that name takes their place. */
  private readonly ended = new Map<string, vscode.Terminal>();

  constructor(private readonly runner: Runner) {}

  async run(args?: RunArgs): Promise<Report | undefined> {
    const given = typeof args === "string" ? { command: args } : args ?? {};
    try {
      const command = given.command?.trim() ? given.command : await this.prompt();
      const cwd = command && (given.cwd ?? await workingDirectory());
      return cwd ? await this.start({ command, cwd, timeoutMs: given.timeoutMs }) : undefined;
    } catch (error) {
      if (!(error instanceof NoFolder)) throw error;
      void vscode.window.showErrorMessage(error.message);
      return undefined;
    }
  }

  /** What is selected in the editor, else the line of the cursor. */
  async runSelection(): Promise<Report | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return this.run();
    const { document, selection } = editor;
    return this.run(document.getText(selection.isEmpty ? document.lineAt(selection.active.line).range : selection));
  }

  /** What a terminal holds goes with it. */
  closed(terminal: vscode.Terminal): void {
    for (const [name, ended] of this.ended) if (ended === terminal) this.ended.delete(name);
  }

  async rerun(): Promise<Report | undefined> {
    const { last } = this.runner;
    return last ? this.start(last) : this.run();
  }

  async cancel(): Promise<void> {
    const active = [...this.runner.active];
    if (active.length === 0) {
      void vscode.window.showInformationMessage("pillion: no command is running.");
      return;
    }
    const picked = active.length === 1 ? active[0] : await pick(active);
    picked?.cancel();
  }

  private prompt(command?: string): Thenable<string | undefined> {
    const last = this.runner.last?.command ?? "";
    const box = { title: "pillion: run a command", placeHolder: "make test", prompt: "It runs in the sandbox." };
    return edited(command ?? (last.includes("\n") ? "" : last), box);
  }

  private async start(job: Job): Promise<Report> {
    this.runner.last = { ...job, again: undefined };
    const name = visible(shortened(job.command, 60)).replace(/\n/g, " "); // the shield says whose it is
    this.ended.get(name)?.dispose();
    this.ended.delete(name);
    const pty = new RunTerminal(this.runner, job, false);
    const terminal = vscode.window.createTerminal({ name, pty, iconPath: new vscode.ThemeIcon("shield") });
    terminal.show();
    void progress(`pillion: ${name}`, pty);
    const report = await pty.report;
    if (!terminal.exitStatus) this.ended.set(name, terminal);
    void this.tell(report, job);
    return report;
  }

  /** Says what a terminal in the background would hide. */
  private async tell(report: Report, job: Job): Promise<void> {
    const suggestion = report.suggestion;
    const { execId, violations = [], display = [] } = report.result ?? {};
    const allowed = violations.flatMap(({ allow }) => allow ?? []);
    const grants = allowed.filter((a, i) => allowed.findIndex((b) => a.kind === b.kind && a.value === b.value) === i);
    if (execId !== undefined && grants.length > 0) {
      const refused = display.filter(({ action }) => action === "retry").map(({ text }) => inSettings(text)).join("; ");
      const pressed = await vscode.window.showWarningMessage(unlinked(`pillion: ${refused}`), "Allow This Once and Run Again");
      if (pressed) await this.start({ ...job, again: { execId, grants } });
      return;
    }
    if (report.message === "" || report.status === "cancelled") return;
    if (report.status === "notStarted") { // there is no sidecar: another command would not help
      if (await vscode.window.showErrorMessage(unlinked(report.message), "Open Settings") !== undefined) await vscode.commands.executeCommand("workbench.action.openSettings", "pillion.");
      return;
    }
    if (report.status === "interrupted") {
      const pressed = await vscode.window.showErrorMessage(unlinked(report.message), "Run Again", "Show Log");
      if (pressed === "Run Again") await this.start(job);
      if (pressed === "Show Log") await vscode.commands.executeCommand("pillion.showOutput");
      return;
    }
    if (report.mistake) {
      const { file, line, column } = report.mistake;
      const at = new vscode.Position(Math.max(line - 1, 0), Math.max(column - 1, 0));
      if (await vscode.window.showErrorMessage(unlinked(report.message), "Open File")) await vscode.window.showTextDocument(vscode.Uri.file(file), { selection: new vscode.Range(at, at) });
      return;
    }
    const edit = suggestion ? "Use Suggestion…" : "Edit…";
    if (await vscode.window.showErrorMessage(unlinked(report.message), edit) !== edit) return;
    const command = await this.prompt(suggestion ?? job.command);
    if (command?.trim()) await this.start({ ...job, command });
  }
}

async function pick(active: Active[]): Promise<Active | undefined> {
  const all = { label: "All of them", active: undefined };
  const items = [...active.map((a) => ({ label: iconless(a.job.command), description: a.job.cwd, active: a })), all];
  const picked = await vscode.window.showQuickPick(items, { placeHolder: "The command to cancel" });
  if (picked === all) for (const a of active) a.cancel();
  return picked?.active;
}

async function progress(title: string, pty: RunTerminal): Promise<void> {
  if (await Promise.race([pty.report, pty.started]) !== "started") return; // a question may have to be answered first
  const soon = new Promise((resolve) => setTimeout(resolve, progressAfterMs, "slow"));
  // An editor or a pager is seen to run, and a notification would take its Escape away.
  const over = Promise.race([pty.report, pty.full]);
  let refused = "";
  pty.onDidRefuse((text) => { refused = text; });
  if (await Promise.race([over, soon]) !== "slow") return;
  const options = { location: vscode.ProgressLocation.Notification, title: unlinked(title), cancellable: true };
  await vscode.window.withProgress(options, (bar, token) => {
    const tell = (text: string) => bar.report({ message: unlinked(text) });
    if (refused) tell(refused);
    pty.onDidRefuse(tell);
    token.onCancellationRequested(() => pty.active.cancel());
    return over;
  });
}
