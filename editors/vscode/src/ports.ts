// Servers that commands start: a message that opens one in a browser.

import * as vscode from "vscode";

import type { PortParams } from "../../protocol/protocol.js";
import type { Client } from "./client.js";
import { unlinked } from "./text.js";

/** Ports from here on are the system's choice, not meant to be looked at. */
const ephemeral = 32_768;

/** The click is the person's yes to this one port, also where VS Code runs on another machine. */
export async function offer(client: Client, { execId, port, process, listening }: PortParams): Promise<void> {
  if (!listening || port >= ephemeral) return;
  const open = "Open in Browser";
  if (await vscode.window.showInformationMessage(`pillion: ${unlinked(process)} listens on port ${port} in the sandbox`, open) !== open) return;
  try {
    const { address } = await client.forward(execId, port);
    await vscode.env.openExternal(await vscode.env.asExternalUri(vscode.Uri.parse(`http://${address}/`)));
  } catch (error) {
    void vscode.window.showErrorMessage(`pillion: port ${port} can't be opened: ${(error as Error).message}`);
  }
}
