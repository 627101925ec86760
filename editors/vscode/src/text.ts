// Texts of commands for a person's eye: nothing in them may hide or act.

/** Control, direction and other invisible characters, and blanks that are not the space, spelled out. A command's line breaks stay. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\u2800]|(?! )\p{Zs}/gu, (c) => {
    if (c === "\n") return c;
    if (c === "\t") return "\\t";
    if (c === "\r") return "\\r";
    const code = c.codePointAt(0)!;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

/** The same on one line: a text of others must not go on where a row of ours could be. */
export function row(text: string): string {
  return visible(text).replace(/\n/g, "\\n");
}

/** A text that VS Code's notifications make no links of: they read [text](command:…). */
export function unlinked(text: string): string {
  return visible(text).replace(/\]\(/g, "] (").replace(/\s+/g, " ").trim();
}

/** A text in which a list makes no icons of "$(name)", which in a command is something else. */
export function iconless(text: string): string {
  return visible(text).replace(/\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/g, "\\$&");
}

/** At most max characters: the middle goes, because the end is where "| sh" would hide. */
export function shortened(text: string, max: number): string {
  const chars = [...text];
  if (chars.length <= max) return text;
  const half = Math.floor((max - 3) / 2);
  return `${chars.slice(0, half).join("")} … ${chars.slice(chars.length - half).join("")}`;
}
