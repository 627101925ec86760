// A temporary world with the real binary: PILLION_BIN, else what the repository built.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { CancellationToken } from "vscode-jsonrpc/node";

import type { ApprovalParams, ApprovalResult, InitializationOptions, PortParams } from "../../../protocol/protocol.js";
import { Client } from "../../src/client.js";

/** Tests are bundled elsewhere; test/run starts them in editors/vscode. */
export const repository = resolve(process.cwd(), "..", "..");
export const binary = resolve(process.env.PILLION_BIN ?? join(repository, "dist", "pillion"));

export interface World {
  root: string;
  folder: string;
  asked: ApprovalParams[];
  logged: string[];
  ports: PortParams[];
  shown: string[];
  /** answers to questions, in their order; none is a decline */
  answers: ApprovalResult[];
  approve(params: ApprovalParams, token: CancellationToken): Promise<ApprovalResult>;
  start(options?: InitializationOptions, folders?: string[]): Promise<Client>;
  remove(): Promise<void>;
}

export function world(): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pillion-vscode-")));
  const folder = join(root, "ws");
  mkdirSync(folder);
  const clients: Client[] = [];
  const own: World = {
    root, folder, asked: [], logged: [], ports: [], shown: [], answers: [],
    async approve(params) { own.asked.push(params); return own.answers.shift() ?? { decision: "decline" }; },
    async start(options = {}, folders = [folder]) {
      const client = await Client.start({
        path: binary, args: [], trace: "off", clientInfo: { name: "vscode-unit" },
        env: { PATH: process.env.PATH, HOME: root, XDG_CACHE_HOME: join(root, "cache"), XDG_STATE_HOME: join(root, "state") },
        folders: folders.map((f) => ({ uri: pathToFileURL(f).href, name: "ws" })),
        initializationOptions: options,
      }, {
        approve: (params, token) => own.approve(params, token),
        log: (_, message) => own.logged.push(message),
        show: (_, message) => own.shown.push(message),
        trace: (message) => own.logged.push(message),
        port: (params) => own.ports.push(params),
      });
      clients.push(client);
      return client;
    },
    async remove() {
      await Promise.all(clients.map((client) => client.stop()));
      rmSync(root, { recursive: true, force: true });
    },
  };
  return own;
}

/** Waits for a condition, not for a time. */
export async function until(what: string, holds: () => boolean, withinMs = 20_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`still not: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
