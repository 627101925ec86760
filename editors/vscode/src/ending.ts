// How a run ended, in one line, and what its sandbox refused.

import type { EffectiveSandbox, ExecResult, Violation } from "../../typescript/protocol.js";
import type { Outcome } from "./run.js";
import { faint, green, red, yellow } from "./sgr.js";
import { duration, visible } from "./text.js";

/** The exit codes that are not the command's own are those of `pillion exec`. */
export function exitCode(outcome: Outcome): number {
  if (outcome.kind === "refused") return 125;
  if (outcome.kind === "interrupted") return 1;
  const { result } = outcome;
  if (result.cancelled) return 130;
  if (result.exitCode === null) return 1;
  return result.reason !== "exited" && result.exitCode === 0 ? 1 : result.exitCode;
}

export function ending(result: ExecResult): string {
  const status = result.signal !== null ? `killed by ${result.signal}` : result.exitCode !== null ? `exit ${result.exitCode}` : "no status";
  switch (result.reason) {
    case "exited": return status;
    case "timedOut": return `timed out (${status})`;
    default: return `${result.reason} (${status})`;
  }
}

/** What was promised and does not hold in full. An allowed network is no promise. */
export function weaknesses(s: EffectiveSandbox): string[] {
  const levels: [string, string][] = [["writes", s.fsWrite], ["reads", s.fsRead], ["processes", s.processTree]];
  if (s.networkMode !== "allow") levels.push(["network", s.network]);
  return levels.filter(([, level]) => level !== "enforced").map(([name, level]) => `${name} ${level}`);
}

export function confinement(s: EffectiveSandbox): string {
  if (s.mode === "off") return "NOT SANDBOXED (mode off)";
  const network = { allow: "network allowed", proxy: "network by address book" }[s.networkMode] ?? "network denied";
  const weak = weaknesses(s);
  return `${s.mode}, ${network}${weak.length > 0 ? `, NOT FULLY ENFORCED: ${weak.join(", ")}` : ""}`;
}

/** What stands below a command's output in a terminal. */
export function summary(result: ExecResult): string[] {
  const good = result.reason === "exited" && result.exitCode === 0;
  const parts = [(good ? green : red)(ending(result)), duration(result.durationMs), confinement(result.sandbox)];
  if (result.background.length > 0) parts.push(`background: ${result.background.map((b) => `${visible(b.name)} ${b.fate}`).join(", ")}`);
  return [...result.violations.map((v) => yellow(`pillion: ${refused(v)}`)), `${faint("pillion:")} ${parts.join(" · ")}`];
}

/** One thing that the sandbox refused, and the grant that would allow it. */
export function refused(v: Violation): string {
  const host = v.op === "connect" && v.address !== undefined;
  const what = [
    v.attribution === "inferred" && !host ? "probably refused:" : "refused:",
    v.process && `${v.process}:`,
    !host && v.op,
    `${v.path ?? ""}${v.address ?? ""}`,
    v.rule && `(${v.rule})`,
  ].filter(Boolean).join(" ");
  const times = v.count > 1 ? `, ${v.count} times` : "";
  return visible(`${what}${times}${v.grant ? `; ${howTo(v.grant)}` : ""}`);
}

const howTo = (grant: string) => (grant.startsWith("none: ") ? grant.slice(6) : `to allow it: ${grant}`);
