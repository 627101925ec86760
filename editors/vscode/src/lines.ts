// The sidecar's lines for a person, as a terminal or a dialog shows them. Their text is fit to be shown.

import type { DisplayLine, Tone } from "../../protocol/protocol.js";
import { bold, faint, green, red, wrong, yellow } from "./sgr.js";

const plain = (text: string) => text;

const colours: Record<Tone, (text: string) => string> = {
  title: bold, command: plain, place: wrong, reason: plain, remedy: plain, rule: plain,
  ok: green, warn: yellow, error: red, dim: faint,
};

/** A line in its colours. */
export function coloured({ text, tone, spans }: DisplayLine): string {
  return (spans ?? [{ text, tone }]).map((s) => (colours[s.tone] ?? plain)(s.text)).join("");
}
