// pillion's own log, in an output channel.

import * as vscode from "vscode";

export class Log implements vscode.Disposable {
  readonly channel = vscode.window.createOutputChannel("pillion", { log: true });

  /** type as in LSP: 1 error … 4 log */
  write(type: number, message: string): void {
    if (type <= 1) this.channel.error(message);
    else if (type === 2) this.channel.warn(message);
    else this.channel.info(message);
  }

  /** The setting says how much there is; the channel's level doesn't hide it. */
  trace(message: string, verbose?: string): void {
    this.channel.info(`[trace] ${message}${verbose === undefined ? "" : `\n${verbose}`}`);
  }

  dispose(): void {
    this.channel.dispose();
  }
}
