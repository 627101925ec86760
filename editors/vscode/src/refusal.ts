// What a person is told when a command was not started.

import type { ExecParams, Finding, GuardVerdict, PolicyProblem, Source } from "../../protocol/protocol.js";
import { ErrorCode } from "../../protocol/protocol.js";
import type { Refusal } from "./run.js";
import { bold, faint, red, wrong } from "./sgr.js";
import { cut, unlinked, visible } from "./text.js";

/** The findings that stopped a command, those that denied it first. */
export function findings(refusal: Refusal): Finding[] {
  const verdict = refusal.data.verdict as GuardVerdict | undefined;
  const found = verdict?.findings ?? [];
  const worst = found.filter((f) => f.decision === verdict?.decision);
  return [...worst, ...found.filter((f) => !worst.includes(f))];
}

export const instead = (finding: Finding): string | undefined => finding.suggestion?.command ?? finding.suggestion?.title;

function verb({ code, data }: Refusal): string {
  switch (code) {
    case ErrorCode.GuardDenied: return "denied";
    case ErrorCode.ApprovalDeclined: return data.by === "timeout" ? "nobody answered in time" : "declined";
    case ErrorCode.Cancelled: case ErrorCode.ServerCancelled: return "cancelled before it started";
    default: return "not started";
  }
}

/** One sentence, as a notification shows it. */
export function sentence(refusal: Refusal): string {
  const [first] = findings(refusal);
  const what = first && refusal.code !== ErrorCode.Cancelled ? `${first.message} (${first.ruleId})` : reason(refusal);
  const other = first && refusal.code === ErrorCode.GuardDenied ? instead(first) : undefined;
  return unlinked(`pillion: ${verb(refusal)}: ${what}${other ? `. Instead: ${other}` : ""}`);
}

function reason({ message, data }: Refusal): string {
  const problems = data.problems as PolicyProblem[] | undefined;
  const [problem] = problems ?? [];
  if (problem) return `${message}: ${problem.file}:${problem.line}: ${problem.message}`;
  const missing = data.missing as { feature: string; reason: string; hint?: string }[] | undefined;
  const [first] = missing ?? [];
  return first ? `${message}: ${first.reason}${first.hint ? ` (${first.hint})` : ""}` : message;
}

/** The same at length, for a terminal, with the span underlined. */
export function lines(refusal: Refusal, params: ExecParams): string[] {
  const found = findings(refusal);
  const [first] = found;
  if (!first) return [red(bold(`pillion: ${verb(refusal)}: ${visible(reason(refusal))}`))];
  const out = [red(bold(`pillion: ${verb(refusal)}: ${visible(first.message)}`))];
  out.push(...underlined(shown(first.source, params), first).map((line) => `    ${line}`));
  const row = (name: string, text: string | undefined) => text && out.push(`  ${faint(name.padEnd(8))} ${visible(text)}`);
  row("why", first.explanation);
  row("via", first.via?.map((link) => link.construct).join(" → "));
  row("instead", instead(first));
  row("rule", first.ruleId);
  if (refusal.code === ErrorCode.ApprovalDeclined) row("said", refusal.data.message as string | undefined);
  const others = [...new Set(found.slice(1).map((f) => f.ruleId))].filter((id) => id !== first.ruleId);
  if (others.length > 0) row("also", others.join(", "));
  return out;
}

/** The text a finding's span counts in. Values of variables are where tokens live: they stay unseen. */
export function shown(source: Source, params: Pick<ExecParams, "command" | "argv" | "commands">): string | undefined {
  switch (source.field) {
    case "command": return params.command;
    case "argv": return params.argv?.[source.index ?? 0];
    case "commands": return params.commands?.[source.index ?? 0];
    default: return undefined;
  }
}

function underlined(text: string | undefined, { span, source }: Finding): string[] {
  if (text === undefined) return [wrong(visible(`${source.name ?? source.field}=…`))];
  const [before, marked, after] = cut(text, span).map(visible) as [string, string, string];
  // Each line is marked for itself: an underline must not run through the margin.
  return (before + marked.split("\n").map((part) => part && wrong(part)).join("\n") + after).split("\n");
}
