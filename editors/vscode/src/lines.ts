// The sidecar's lines for a person, as a terminal, a dialog or a notification shows them.
// Their text is fit to be shown.

import type { DisplayLine, DisplaySpan, Tone } from "../../protocol/protocol.js";
import { bold, faint, green, red, wrong, yellow } from "./sgr.js";

const plain = (text: string) => text;

const colours: Record<Tone, (text: string) => string> = {
  title: bold, command: plain, place: wrong, reason: plain, remedy: green, rule: plain,
  ok: green, warn: yellow, error: red, dim: faint,
};

const paint = ({ text, tone }: DisplaySpan) => (colours[tone] ?? plain)(text);
const pieces = (line: DisplayLine): DisplaySpan[] => line.spans ?? [line];

/** What the sidecar indents: a command, exactly; a text after its label. */
const kind = ({ text }: DisplayLine) => text.startsWith("    ") ? "command" : text.startsWith("  ") ? "row" : "head";

/** A line in its colours; what comes after a label goes on below itself, from word to word. */
export function coloured(line: DisplayLine, columns = Infinity): string {
  const [label, value, ...more] = pieces(line);
  if (kind(line) !== "row" || value === undefined || more.length > 0) return pieces(line).map(paint).join("");
  const margin = label!.text.length;
  const rows = folded(value.text, Math.max(columns - margin, 20));
  return paint(label!) + rows.map((text) => paint({ ...value, text })).join(`\n${" ".repeat(margin)}`);
}

/** Lines where nothing has a colour: the place that is meant is in brackets, and what belongs together stays together. */
export function bracketed(lines: DisplayLine[]): string {
  return lines.map((line, i) => {
    const text = pieces(line).map((s) => s.tone === "place" ? `⟦${s.text}⟧` : s.text).join("");
    const [before, here] = [i > 0 ? kind(lines[i - 1]!) : "head", kind(line)];
    const apart = (before === "command") !== (here === "command") || (before === "row" && here === "head");
    return i > 0 && apart ? `\n${text}` : text;
  }).join("\n");
}

function folded(text: string, width: number): string[] {
  const rows: string[] = [];
  for (const word of text.split(" ")) {
    const last = rows.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) rows.push(word);
    else rows[rows.length - 1] = `${last} ${word}`;
  }
  return rows;
}
