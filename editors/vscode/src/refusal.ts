// What a person sees when a command was not started, in the sidecar's words.

import type { DisplayLine, GuardVerdict, PolicyProblem } from "../../protocol/protocol.js";
import { bold, red } from "./sgr.js";
import { coloured } from "./lines.js";
import type { Refusal } from "./run.js";
import { unlinked, visible } from "./text.js";

const told = ({ data, message }: Refusal): DisplayLine[] => data.display ?? [{ text: visible(message), tone: "error" }];

/** The message, and what to do instead or else why, as a notification shows it. */
export function sentence(refusal: Refusal): string {
  const [head, ...rest] = told(refusal);
  const rows = rest.filter(({ spans }) => spans?.length === 2 && !head!.text.includes(spans[1]!.text));
  const [label, value] = (rows.find(({ tone }) => tone === "remedy") ?? rows.find(({ tone }) => tone === "reason"))?.spans ?? [];
  return unlinked(`pillion: ${head!.text}${value ? `; ${label!.text.trim()}: ${value.text}` : ""}`);
}

/** The same at length, for a terminal. */
export function lines(refusal: Refusal, columns?: number): string[] {
  const [head, ...rest] = told(refusal);
  return [red(bold(`pillion: ${head!.text}`)), ...rest.map((line) => coloured(line, columns))];
}

/** A safer command, of one that was denied. */
export function suggestion({ data }: Refusal): string | undefined {
  const verdict = data.verdict as GuardVerdict | undefined;
  return verdict?.findings?.find((f) => f.decision === verdict.decision)?.suggestion?.command;
}

/** The first one of a policy that is wrong. */
export const mistake = ({ data }: Refusal) => (data.problems as PolicyProblem[] | undefined)?.[0];
