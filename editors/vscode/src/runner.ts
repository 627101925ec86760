// Runs commands, knows which ones run, and how they ended.

import * as vscode from "vscode";

import type { AccessGrant, ExecParams, ExecResult, PolicyProblem } from "../../protocol/protocol.js";
import { mistake, sentence, suggestion } from "./refusal.js";
import type { Listener, Outcome, Run } from "./run.js";
import type { Session } from "./session.js";

export interface Job {
  command: string;
  cwd: string;
  timeoutMs?: number | undefined;
  env?: Record<string, string> | undefined;
  /** It is a run that has ended, with what a person gives it this time. */
  again?: { execId: string; grants: AccessGrant[] } | undefined;
}

/** What `pillion.run` answers to its caller. */
export interface Report {
  /** "exited", "cancelled", "timedOut", … as in the protocol; "interrupted"; or the kind of an error, such as "guardDenied": nothing was started */
  status: string;
  exitCode: number | null;
  message: string;
  /** the end of what the command wrote, with its escape sequences */
  output: string;
  /** a safer command, of one that was denied */
  suggestion?: string | undefined;
  /** where a policy is wrong that stops every command */
  mistake?: PolicyProblem | undefined;
  result?: ExecResult;
}

/** A command that was asked for and has not ended. */
export class Active {
  run: Run | undefined;
  private readonly source = new vscode.CancellationTokenSource();
  readonly token = this.source.token;

  constructor(readonly job: Job) {}

  /** Before it has started as well. A second time kills. */
  cancel(): void {
    void this.run?.cancel(this.token.isCancellationRequested);
    this.source.cancel();
  }
}

export class Runner implements vscode.Disposable {
  readonly active = new Set<Active>();
  last: Job | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly session: Session) {}

  async run(active: Active, params: ExecParams, listener: Listener): Promise<Outcome> {
    this.active.add(active);
    this.changed.fire();
    try {
      return await this.start(active, params, listener);
    } finally {
      this.active.delete(active);
      this.changed.fire();
    }
  }

  private async start(active: Active, params: ExecParams, listener: Listener): Promise<Outcome> {
    const notStarted = (message: string): Outcome => ({ kind: "refused", code: 0, message, data: {} });
    const stopped = new Promise<undefined>((resolve) => active.token.onCancellationRequested(() => resolve(undefined)));
    try {
      const client = await Promise.race([this.session.get(), stopped]);
      if (!client || active.token.isCancellationRequested) return { kind: "refused", code: -32800, message: "cancelled", data: { kind: "cancelled" } };
      const { again } = active.job;
      active.run = again ? client.retry(again.execId, again.grants, listener) : client.exec(params, listener);
    } catch (error) {
      return notStarted(error instanceof Error ? error.message : String(error));
    }
    return active.run.ended;
  }

  dispose(): void {
    this.changed.dispose();
  }
}

export const interruption = (how: string) => `interrupted: pillion ${how}. The command was ended, and is not run again by itself.`;

export function report(outcome: Outcome, output: string): Report {
  switch (outcome.kind) {
    case "result":
      return { status: outcome.result.reason, exitCode: outcome.result.exitCode, message: "", output, result: outcome.result };
    case "refused":
      return { status: outcome.data.kind ?? "notStarted", exitCode: null, message: sentence(outcome), output, suggestion: suggestion(outcome), mistake: mistake(outcome) };
    case "interrupted":
      return { status: "interrupted", exitCode: null, message: `pillion: ${interruption(outcome.how)}`, output };
  }
}
