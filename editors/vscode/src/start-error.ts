// Why there is no sidecar, in one sentence each.

import { ResponseError } from "vscode-jsonrpc/node";

import { protocolVersion } from "../../protocol/protocol.js";

/** Only a crash is worth another try. */
export class StartError extends Error {
  constructor(message: string, readonly crash: boolean) {
    super(message);
  }
}

/** vscode-jsonrpc's own codes, from -32099 to -32096, mean that there was no answer: the connection was lost or disposed of. */
export const disposed = -32097;
export const answered = (error: unknown): error is ResponseError<unknown> =>
  error instanceof ResponseError && (error.code < -32099 || error.code > -32096);

export const wrongProtocol = (...spoken: number[]) =>
  `pillion speaks protocol ${spoken.join(", ")}, but ${protocolVersion} is required: set pillion.server.path to another one.`;

export function refusedInitialize(error: ResponseError<unknown>): string {
  const data = error.data as { kind?: string; path?: string; supported?: number[] } | undefined;
  if (data?.kind === "unsupportedProtocolVersion") {
    return wrongProtocol(...data.supported ?? []);
  }
  return `pillion refused its settings: ${inSettings(error.message)}`;
}

/** The same in the words of settings.json, where a person has to look. */
export function inSettings(message: string): string {
  return message
    .replace("/initializationOptions/limits/timeoutMs", "pillion.timeout")
    .replace(/\/initializationOptions\/(policy|limits)((?:\/[\w-]+)+)/g, (_, group: string, path: string) => `${path.slice(1).replace(/\//g, ".")} in pillion.${group}`)
    .replace(/\/initializationOptions\/(\w+)((?:\/[\w-]+)*)/g, (_, group: string, path: string) => `pillion.${group}${path.replace(/\//g, ".")}`)
    .replace(/(?<![\w./-])policy\.(?!toml)(\w+(?:\.\w+)*)( (?:"[^"]*"|true\b|\d+))?/g, "$1$2 in pillion.policy")
    .replace(/(?<![\w./-])sandbox\.(mode|network|reads)(?= ")/g, "pillion.sandbox.$1")
    .replace(/(?<![\w./-])limits\.timeoutMs/g, "pillion.timeout")
    .replace(/(?<![\w./-])limits\.(\w+)( \d+)?/g, "$1$2 in pillion.limits");
}
