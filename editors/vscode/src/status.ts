// The status bar: whether commands are confined, and how many run.

import * as vscode from "vscode";

import type { Runner } from "./runner.js";
import type { State } from "./session.js";
import { judged, type Standing } from "./standing.js";

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("pillion.status", vscode.StatusBarAlignment.Left, 0);
  private state: State = { kind: "stopped" };
  private standing: Standing | undefined;

  constructor(private readonly runner: Runner) {
    this.item.name = "pillion";
    this.item.command = "pillion.menu";
    this.draw();
    this.item.show();
  }

  /** The session's state; of a sidecar that is ready it is asked what its sandbox holds. */
  update(state: State): void {
    this.state = state;
    this.standing = undefined;
    this.draw();
    if (state.kind !== "ready") return;
    void judged(state.client).then((standing) => {
      if (this.state !== state) return;
      this.standing = standing;
      this.draw();
    }, () => {});
  }

  draw(): void {
    const { text, tooltip, alarm } = look(this.state, this.standing);
    const running = this.runner.active.size;
    this.item.text = running > 0 ? `${text} $(loading~spin) ${running}` : text;
    // A string is shown as text: nothing that a server says is markdown here.
    this.item.tooltip = running > 0 ? `${tooltip}\n\n${running} running` : tooltip;
    this.item.accessibilityInformation = { label: `pillion: ${tooltip}` };
    this.item.backgroundColor = alarm ? new vscode.ThemeColor(`statusBarItem.${alarm}Background`) : undefined;
  }

  dispose(): void {
    this.item.dispose();
  }
}

interface Look {
  text: string;
  tooltip: string;
  alarm?: "warning" | "error";
}

function look(state: State, standing: Standing | undefined): Look {
  switch (state.kind) {
    case "stopped": return { text: "$(circle-slash) pillion: stopped", tooltip: "pillion is not running: it starts with the first command" };
    case "starting": return { text: "$(sync~spin) pillion: starting", tooltip: "pillion is starting" };
    case "waiting": return { text: "$(sync~spin) pillion: restarting", tooltip: `pillion ${state.reason}; it is started again`, alarm: "warning" };
    case "failed": return { text: "$(error) pillion: stopped", tooltip: state.message, alarm: "error" };
    case "ready": break;
  }
  switch (standing?.kind) {
    case undefined: return { text: "$(shield) pillion", tooltip: "pillion is running; its sandbox is being tested" };
    case "enforced": return { text: `$(shield) pillion: enforced${standing.open ? ", network open" : ""}`, tooltip: standing.text };
    case "bestEffort": return { text: "$(shield) pillion: best effort", tooltip: standing.text, alarm: "warning" };
    case "off": return { text: "$(unlock) pillion: not sandboxed", tooltip: standing.text, alarm: "warning" };
    case "unavailable": return { text: "$(error) pillion: unavailable", tooltip: standing.text, alarm: "error" };
  }
}
