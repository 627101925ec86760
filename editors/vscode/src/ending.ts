// How a run ended, and what is to be said of it.

import type { ExecResult } from "../../protocol/protocol.js";
import type { Outcome } from "./run.js";
import { coloured } from "./lines.js";
import { faint } from "./sgr.js";
import { inSettings } from "./start-error.js";

/** The exit codes that are not the command's own are those of `pillion exec`. */
export function exitCode(outcome: Outcome): number {
  if (outcome.kind === "refused") return 125;
  if (outcome.kind === "interrupted") return 1;
  const { result } = outcome;
  if (result.cancelled) return 130;
  if (result.exitCode === null) return 1;
  return result.reason !== "exited" && result.exitCode === 0 ? 1 : result.exitCode;
}

/** What is shown below a command's output in a terminal, or in its place, in the sidecar's words. */
export function summary({ display }: Pick<ExecResult, "display">): string[] {
  return display.map((line) => line.spans ? line : { ...line, text: inSettings(line.text) }).map((line) => `${faint("pillion:")} ${coloured(line)}${line.action === "undo" ? " · review · undo" : ""}`);
}
