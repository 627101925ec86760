// The tool with which agents inside VS Code run commands: judged and confined like
// any other, and a question of the guard still goes to the person, not to the model.

import * as vscode from "vscode";

import type { CheckVerdict, ExecParams } from "../../protocol/protocol.js";
import { agent } from "./approvals.js";
import { summary } from "./ending.js";
import { folders, NoFolder } from "./folders.js";
import { lines } from "./refusal.js";
import { Active, interruption, type Runner } from "./runner.js";
import type { Session } from "./session.js";
import { needsConfirmation } from "./standing.js";
import { row, visible } from "./text.js";

interface Input {
  command: string;
  cwd?: string;
  timeoutMs?: number;
}

/** Characters of output that a model is given, from both ends. */
const maxChars = 20_000;

export class RunTool implements vscode.LanguageModelTool<Input> {
  constructor(private readonly session: Session, private readonly runner: Runner) {}

  /** Nothing runs here: VS Code prepares whenever it likes. A person is asked once at most: by the guard, or here. */
  async prepareInvocation({ input }: vscode.LanguageModelToolInvocationPrepareOptions<Input>): Promise<vscode.PreparedToolInvocation> {
    const invocationMessage = "Running a command in pillion's sandbox";
    if (!needsConfirmation(await this.verdict(input))) return { invocationMessage };
    const message = new vscode.MarkdownString().appendCodeblock(visible(input.command), "shellscript");
    if (input.cwd) message.appendText(`in ${row(input.cwd)}`);
    return {
      invocationMessage,
      confirmationMessages: { title: "Run this command in pillion's sandbox?", message },
    };
  }

  private async verdict({ command, cwd = folders()[0]?.uri.fsPath }: Input): Promise<CheckVerdict | undefined> {
    try {
      const client = await this.session.get();
      return (await client.check([{ command, ...(cwd === undefined ? {} : { cwd }) }])).verdicts[0];
    } catch {
      return undefined; // the invocation says what is wrong
    }
  }

  async invoke({ input }: vscode.LanguageModelToolInvocationOptions<Input>, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    const [first] = folders();
    if (!first) throw new NoFolder();
    const active = new Active({ command: input.command, cwd: input.cwd ?? first.uri.fsPath });
    const stop = token.onCancellationRequested(() => active.cancel());
    try {
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      const text = await this.text(active, input);
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    } finally {
      stop.dispose();
    }
  }

  private async text(active: Active, input: Input): Promise<string> {
    const params: ExecParams = {
      command: input.command,
      cwd: active.job.cwd,
      description: agent,
      output: { stream: false, inlineMaxBytes: 1, summary: { form: "plain", maxChars, keep: "headTail" } },
      ...(input.timeoutMs === undefined ? {} : { timeoutMs: input.timeoutMs }),
    };
    const outcome = await this.runner.run(active, params, () => {});
    switch (outcome.kind) {
      // What a terminal says below the output, and no command can write into the text: it
      // is the last lines.
      case "result": return [outcome.result.summary ?? "", ...summary(outcome.result)].join("\n").replace(/\x1b\[[0-9;]*m/g, "");
      case "interrupted": return interruption(outcome.how);
      // Told, not thrown: a model that knows why can do something else.
      case "refused": return `Nothing was run.\n${lines(outcome).join("\n").replace(/\x1b\[[0-9;]*m/g, "")}`;
    }
  }
}
