// The tool with which agents inside VS Code run commands: judged and confined like
// any other, and a question of the guard still goes to the person, not to the model.

import * as vscode from "vscode";

import type { ExecParams } from "../../typescript/protocol.js";
import { folders, NoFolder } from "./folders.js";
import { lines } from "./refusal.js";
import { Active, interruption, type Runner } from "./runner.js";
import { row, visible } from "./text.js";

interface Input {
  command: string;
  cwd?: string;
  timeoutMs?: number;
}

/** Characters of output that a model is given, from both ends. */
const maxChars = 20_000;

export class RunTool implements vscode.LanguageModelTool<Input> {
  constructor(private readonly runner: Runner) {}

  /** Nothing happens here: VS Code asks whenever it likes. */
  prepareInvocation({ input }: vscode.LanguageModelToolInvocationPrepareOptions<Input>): vscode.PreparedToolInvocation {
    const message = new vscode.MarkdownString().appendCodeblock(visible(input.command), "shellscript");
    if (input.cwd) message.appendText(`in ${row(input.cwd)}`);
    return {
      invocationMessage: "Running a command in pillion's sandbox",
      confirmationMessages: { title: "Run this command in pillion's sandbox?", message },
    };
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
      description: "an agent in VS Code",
      output: { stream: false, inlineMaxBytes: 1, summary: { form: "layered", maxChars, keep: "headTail" } },
      ...(input.timeoutMs === undefined ? {} : { timeoutMs: input.timeoutMs }),
    };
    const outcome = await this.runner.run(active, params, () => {});
    switch (outcome.kind) {
      case "result": return outcome.result.summary ?? "";
      case "interrupted": return interruption(outcome.how);
      // Told, not thrown: a model that knows why can do something else.
      case "refused": return `Nothing was run.\n${lines(outcome, params).join("\n").replace(/\x1b\[[0-9;]*m/g, "")}`;
    }
  }
}
