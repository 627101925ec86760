// A command in a terminal of VS Code: its output, its keyboard, its size.

import * as vscode from "vscode";

import type { DisplayLine, ExecParams, TerminalSize } from "../../protocol/protocol.js";
import { exitCode, summary } from "./ending.js";
import { lines } from "./refusal.js";
import type { Outcome, RunEvent, WaitingEvent } from "./run.js";
import { Active, interruption, report, type Job, type Report, type Runner } from "./runner.js";
import { Screen } from "./screen.js";
import { bold, red } from "./sgr.js";
import { unlinked, visible } from "./text.js";

/** Terminals show everything: as much as the protocol lets through. */
const streamMaxBytes = 1 << 30;
const keptOutput = 65_536;
/** How long a command goes on after a refusal until that is shown: most say it themselves, and end. */
const tellMs = 1000;
/** A command that ends sooner than VS Code's own half second has "failed to launch" in its words. */
const launchMs = 600;

export class RunTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  private readonly closed = new vscode.EventEmitter<number>();
  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.closed.event;
  readonly active: Active;
  /** How the command ended; also when the terminal was closed before it began. */
  readonly report: Promise<Report>;
  /** There is a process. */
  readonly started: Promise<"started">;
  /** It has the whole screen. */
  readonly full: Promise<"full">;
  /** Names what the command changed for an undo. */
  changed: string | undefined;
  private settle!: (report: Report) => void;
  private begin!: (word: "started") => void;
  private fill!: (word: "full") => void;
  private readonly screen = new Screen();
  private output = "";
  private size: TerminalSize = { rows: 24, cols: 80 };
  private begun = 0;
  private atLineStart = true;
  /** Somebody who types here sees when it waits. */
  private typed = false;
  private question: WaitingEvent | undefined;
  private over = false;
  /** Refusals that were reported while it ran. */
  private readonly refusals = new Set<string>();
  private readonly refused = new vscode.EventEmitter<string>();
  readonly onDidRefuse = this.refused.event;

  /** A task's terminal ends with its command; another one stays to be read. */
  constructor(private readonly runner: Runner, private readonly job: Job, private readonly ends: boolean) {
    this.active = new Active(job);
    this.report = new Promise((resolve) => { this.settle = resolve; });
    this.full = new Promise((resolve) => { this.fill = resolve; });
    this.started = new Promise((resolve) => { this.begin = resolve; });
  }

  open(size: vscode.TerminalDimensions | undefined): void {
    this.begun = Date.now();
    if (size) this.size = { rows: size.rows || 24, cols: size.columns || 80 };
    this.print([bold(`$ ${visible(this.job.command)}`.replace(/\n/g, "\n    "))]);
    void this.go();
  }

  close(): void {
    this.active.cancel();
    if (this.begun === 0) this.settle(report({ kind: "refused", code: -32800, message: "cancelled", data: { kind: "cancelled" } }, ""));
  }

  handleInput(data: string): void {
    this.typed = true;
    this.question = undefined;
    if (this.active.run?.started) void this.active.run.write(data);
    else if (data.includes("\x03")) this.active.cancel(); // no other person is there to be interrupted
    else void this.active.run?.write(data);
  }

  setDimensions({ rows, columns }: vscode.TerminalDimensions): void {
    this.size = { rows, cols: columns };
    if (this.active.run?.started) void this.active.run.resize(this.size);
  }

  private async go(): Promise<void> {
    const asked = this.size;
    void this.started.then(() => { if (this.size !== asked) void this.active.run?.resize(this.size); });
    const params: ExecParams = {
      command: this.job.command,
      cwd: this.job.cwd,
      pty: asked,
      output: { streamMaxBytes },
      ...(this.job.env === undefined ? {} : { env: this.job.env }),
      ...(this.job.timeoutMs === undefined ? {} : { timeoutMs: this.job.timeoutMs }),
    };
    const outcome = await this.runner.run(this.active, params, (event) => this.show(event));
    this.over = true;
    this.write(this.screen.settle());
    if (!this.atLineStart) this.write("\r\n");
    if (outcome.kind === "result") this.changed = outcome.result.effects?.id;
    this.print(this.told(outcome));
    this.settle(report(outcome, this.output));
    if (this.ends) setTimeout(() => this.closed.fire(exitCode(outcome)), launchMs - (Date.now() - this.begun));
  }

  private told(outcome: Outcome): string[] {
    switch (outcome.kind) {
      case "result": return summary({ display: outcome.result.display.filter(({ text }) => !this.refusals.has(text)) });
      case "refused": return lines(outcome, this.size.cols);
      case "interrupted": return [red(bold(`pillion: ${interruption(outcome.how)}`))];
    }
  }

  private show(event: RunEvent): Promise<void> | undefined {
    if (event.type === "started") this.begin("started");
    if (event.type === "gap") this.print(summary(event));
    if (event.type === "waiting") void this.ask(event);
    if (event.type === "violation") setTimeout(() => this.refuse(event.display), tellMs);
    if (event.type !== "output") return undefined;
    const piece = event.text ?? Buffer.from(event.data ?? "", "base64");
    this.output = (this.output + piece.toString()).slice(-keptOutput);
    this.write(this.screen.write(piece));
    if (this.screen.full) this.fill("full");
    // The window is drawn by another process: it gets time before the next piece is asked for.
    return new Promise((resolve) => setTimeout(resolve, event.length > 4096 ? 4 : 0));
  }

  /** Tells what was refused to a command that goes on: it may try again for long. */
  private refuse(display: DisplayLine[]): void {
    const fresh = display.filter(({ text }) => !this.refusals.has(text));
    if (this.over || this.screen.full || fresh.length === 0) return;
    if (!this.atLineStart) this.write("\r\n");
    this.print(summary({ display: fresh }));
    for (const { text } of fresh) this.refusals.add(text);
    this.refused.fire(fresh.map(({ text }) => text).join("; "));
  }

  /** Has a person answer who does not see the terminal. */
  private async ask(event: WaitingEvent): Promise<void> {
    this.question = event;
    const front = vscode.window.activeTerminal?.creationOptions;
    if (this.typed || (front && "pty" in front && front.pty === this)) return;
    const what = unlinked(`pillion: ${event.display.map(({ text }) => text).join(" ")}`);
    if (await vscode.window.showInformationMessage(what, "Answer…") === undefined) return;
    const text = await vscode.window.showInputBox({ prompt: what, password: event.kind === "hidden", ignoreFocusOut: true });
    if (text === undefined || this.question !== event) return; // another question gets no old answer
    void this.active.run?.write(event.kind === "key" && text.length === 1 ? text : `${text}\r`);
  }

  private write(text: string): void {
    if (text === "") return;
    const printed = text.replace(/\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\([AB0]|[78])|\x0f/g, "");
    if (printed !== "") this.atLineStart = printed.endsWith("\n");
    this.written.fire(text);
  }

  private print(rows: string[]): void {
    for (const row of rows) this.write(`${row.replace(/\n/g, "\r\n")}\r\n`);
  }
}
