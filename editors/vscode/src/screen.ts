// What a command may do to the terminal that shows it: text, colours, the cursor,
// full-screen programs. Not the clipboard (OSC 52), the title, links that show one
// address and lead to another, nor strings for the terminal's own use. Output is
// untrusted. What a terminal answers to a query goes to the command that asked.

/** Private modes of full-screen programs, and how each is left. Others do nothing. */
const modes: Record<string, "h" | "l"> = {
  1: "l", 7: "h", 12: "l", 25: "h", 47: "l", 1047: "l", 1048: "l", 1049: "l",
  1000: "l", 1002: "l", 1003: "l", 1004: "l", 1005: "l", 1006: "l", 2004: "l", 2026: "l",
};

const special = /[\x00-\x06\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const csiForm = /^([<=>?]?)([0-9;:]*)([ !"$']?)$/;
const maxCsi = 64;

export class Screen {
  private state: "text" | "escape" | "csi" | "string" | "stringEscape" = "text";
  private sequence = "";
  private out = "";
  private readonly changed = new Map<string, "h" | "l">();
  private readonly decoder = new TextDecoder();

  /** A piece of output; what is not complete waits for the next one. */
  write(piece: string | Uint8Array): string {
    const text = typeof piece === "string" ? this.decoder.decode() + piece : this.decoder.decode(piece, { stream: true });
    this.out = "";
    for (let i = 0; i < text.length; i++) {
      if (this.state === "text") i = this.run(text, i);
      if (i < text.length) this.next(text[i]!);
    }
    return this.out;
  }

  /** The command has the whole screen: an editor, a pager. */
  get full(): boolean {
    return ["47", "1047", "1049"].some((mode) => this.changed.get(mode) === "h");
  }

  /** Ends what was begun and takes back what was changed, so that the next line can be read. */
  settle(): string {
    this.state = "text";
    const back = [...this.changed].filter(([mode, now]) => modes[mode] !== now).map(([mode]) => `\x1b[?${mode}${modes[mode]}`);
    this.changed.clear();
    return `${back.join("")}\x1b7\x1b[r\x1b8\x1b(B\x0f\x1b[0m`;
  }

  /** Passes plain text on in one piece; answers where it ends. */
  private run(text: string, from: number): number {
    special.lastIndex = from;
    const end = special.exec(text)?.index ?? text.length;
    this.out += text.slice(from, end);
    return end;
  }

  private next(c: string): void {
    switch (this.state) {
      case "text": return this.control(c);
      case "escape": return this.escape(c);
      case "csi": return this.csi(c);
      case "stringEscape":
        this.state = "text";
        return c === "\\" ? undefined : this.escape(c);
      case "string": // a line break ends it, too, so that one OSC can't hide the rest
        if (c === "\x1b") this.state = "stringEscape";
        else if (/[\x07\x18\x1a\x9c\n]/.test(c)) this.state = "text";
    }
  }

  private control(c: string): void {
    if (c === "\x1b") this.begin("escape");
    else if (c === "\x9b") this.begin("csi");
    else if (/[\x90\x98\x9d-\x9f]/.test(c)) this.begin("string");
    else if (/[\x0e\x0f]/.test(c)) this.out += c; // line drawing
  }

  private begin(state: "escape" | "csi" | "string"): void {
    this.state = state;
    this.sequence = "";
  }

  private escape(c: string): void {
    if (c === "[") return this.begin("csi");
    if (/[\]PX^_]/.test(c)) return this.begin("string");
    if (/[ -/]/.test(c) && this.sequence.length < 2) {
      this.sequence += c;
      this.state = "escape";
      return;
    }
    this.state = "text";
    const whole = this.sequence + c;
    // cursor saved, restored, up, down; keypad; character sets for line drawing
    if (/^(?:[78DEM=>]|[()][0AB])$/.test(whole)) this.out += `\x1b${whole}`;
    else if (c < " ") this.control(c);
  }

  private csi(c: string): void {
    if (/[ -?]/.test(c) && this.sequence.length < maxCsi) {
      this.sequence += c;
      return;
    }
    this.state = "text";
    if (!/[@-~]/.test(c)) return this.control(c);
    const form = csiForm.exec(this.sequence);
    if (!form || /\d{6}/.test(this.sequence)) return;
    const [, prefix, params, middle] = form as unknown as [string, string, string, string];
    if (prefix === "?" && /[hl]/.test(c)) return this.mode(params, c as "h" | "l");
    // t: the window's size and title; u with a prefix: the keyboard's protocol
    if (c === "t" || (prefix !== "" && !/[JKcn]/.test(c)) || (c === "p" && middle !== "!")) return;
    this.out += `\x1b[${this.sequence}${c}`;
  }

  private mode(params: string, to: "h" | "l"): void {
    for (const mode of params.split(";")) {
      if (!(mode in modes)) continue;
      this.changed.set(mode, to);
      this.out += `\x1b[?${mode}${to}`;
    }
  }
}
