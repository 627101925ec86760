// Which pillion this is, in one sentence that a bug report can quote.

import * as vscode from "vscode";

import { protocolVersion, schemaHash } from "../../protocol/protocol.js";
import type { Session } from "./session.js";

export async function version(session: Session, extension: string): Promise<string> {
  const text = await sentence(session, extension);
  void vscode.window.showInformationMessage(text);
  return text;
}

async function sentence(session: Session, extension: string): Promise<string> {
  try {
    const { info } = await session.get();
    const same = info.serverInfo.schemaHash === schemaHash ? "" : " of another build";
    return `pillion ${info.serverInfo.version}, protocol ${protocolVersion}${same}; extension ${extension}, VS Code ${vscode.version}.`;
  } catch (error) {
    return `${error instanceof Error ? error.message : error} (extension ${extension}, VS Code ${vscode.version})`;
  }
}
