// A question of the guard or of the network, as the text of a dialog.

import type { ApprovalParams, ApprovalSubject, Finding, Span } from "../../protocol/protocol.js";
import { instead, shown } from "./refusal.js";
import { cut, row, shortened, visible } from "./text.js";

/** A dialog has no scroll bar that one could rely on. */
const most = 2000;
const mostLines = 40;

export interface Question {
  message: string;
  detail: string;
}

export function question(params: ApprovalParams): Question {
  const { subject, findings } = params;
  const rows = [exact(subject), ...findings.slice(0, 4).map((f) => found(f, subject))];
  if (findings.length > 4) rows.push(`and ${findings.length - 4} more findings: ${findings.slice(4).map((f) => f.ruleId).join(", ")}`);
  rows.push(circumstances(subject));
  if (params.availableDecisions.includes("acceptForSession")) {
    rows.push(`Accept for Session: ${params.reason === "network" ? "this host, in all sandboxes" : "exactly this command, here"}`);
  }
  if (params.description) rows.push(`Whoever sent it says: ${row(shortened(params.description, 200))}`);
  return { message: params.reason === "network" ? row(params.title) : "Run this command?", detail: rows.join("\n\n") };
}

function exact(subject: ApprovalSubject): string {
  const text = subject.command ?? subject.argv?.map((word) => JSON.stringify(word)).join(" ") ?? (subject.commands ?? []).join("\n");
  const all = visible(text);
  const short = [...all].length <= most ? all : shortened(all, most);
  const lines = short.split("\n");
  const half = mostLines / 2;
  const kept = lines.length <= mostLines ? lines : [...lines.slice(0, half), "…", ...lines.slice(-half)];
  // The margin says how far a command goes, whatever its lines look like.
  const shown = kept.length === 1 ? short : kept.map((line) => `│ ${line}`).join("\n");
  return short === all && kept === lines ? shown : `${shown}\n(The middle of a long text is not shown: "Edit…" shows all of it.)`;
}

function found(finding: Finding, subject: ApprovalSubject): string {
  const text = shown(finding.source, subject);
  const rows = [`• ${row(finding.message)} (${finding.ruleId})`];
  if (text !== undefined) rows.push(`   ${around(text, finding.span)}`);
  if (finding.explanation) rows.push(`   why: ${row(finding.explanation)}`);
  const other = instead(finding);
  if (other) rows.push(`   instead: ${row(other)}`);
  return rows.join("\n");
}

/** The span in brackets, for a dialog underlines nothing, with something around it; the whole text stands above. */
function around(text: string, span: Span): string {
  const [before, marked, after] = cut(text, span).map(visible) as [string, string, string];
  const near = `${before.length > 30 ? "…" : ""}${before.slice(-30)}⟦${shortened(marked, 80)}⟧${after.slice(0, 20)}${after.length > 20 ? "…" : ""}`;
  return near.replace(/\n/g, " ⏎ ");
}

function circumstances(subject: ApprovalSubject): string {
  const rows = [`in ${row(subject.cwd)}`, `sandbox ${row(subject.sandbox.text)}`];
  if (subject.env?.length) rows.push(`sets ${subject.env.map(row).join(", ")}`);
  if (subject.stdin) rows.push(`${subject.stdin} bytes of input`);
  return rows.join(" · ");
}
