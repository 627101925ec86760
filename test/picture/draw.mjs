// draw makes an SVG that moves by CSS alone, so that it works in an <img>. scenes are
// screens of steps {id, command, lines, hold}; lines may have colours of a terminal.

const columns = 92;
const [charWidth, lineHeight, size, margin] = [7.8, 18, 13, 14];
const perKey = 0.022; // seconds

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// pieces splits a line into {text, style}; styles are names of CSS classes.
function pieces(line) {
  const out = [];
  const names = { 1: "bold", 2: "faint", 31: "red", 32: "green", 33: "yellow", 34: "blue", 35: "blue", 36: "blue", 90: "faint" };
  let style = new Set();
  for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
    const codes = /^\x1b\[([0-9;]*)m$/.exec(part)?.[1];
    if (codes === undefined) {
      if (part) out.push({ text: part, style: [...style].join(" ") });
      continue;
    }
    for (const code of (codes || "0").split(";")) {
      if (code === "0") style = new Set();
      else if (code === "22") ["bold", "faint"].forEach((s) => style.delete(s));
      else if (code === "39") ["red", "green", "yellow", "blue"].forEach((s) => style.delete(s));
      else if (names[code]) style.add(names[code]);
    }
  }
  return out;
}

// rows wraps a line at its blanks.
function rows(line) {
  const chars = pieces(line).flatMap(({ text, style }) => [...text].map((char) => ({ char, style })));
  const out = [];
  while (chars.length > 0) {
    const blank = chars.slice(0, columns + 1).findLastIndex(({ char }) => char === " ");
    const end = chars.length <= columns ? chars.length : blank > 0 ? blank + 1 : columns;
    const row = [];
    chars.splice(0, end).forEach(({ char, style }, column) => {
      if (row.at(-1)?.style === style) row.at(-1).text += char;
      else row.push({ text: char, style, column });
    });
    out.push(row);
  }
  return out;
}

// words are a row's texts, each at its column: no font has to be just as wide.
function words(row, y) {
  let out = "";
  for (const { text, style, column } of row) {
    for (const found of text.matchAll(/\S+( \S+)*/g)) {
      const n = [...found[0]].length;
      const x = margin + (column + [...text.slice(0, found.index)].length) * charWidth;
      const kind = style ? ` class="${style}"` : "";
      out += `<text${kind} x="${x.toFixed(1)}" y="${y}" textLength="${(n * charWidth).toFixed(1)}" lengthAdjust="spacingAndGlyphs">${escape(found[0])}</text>`;
    }
  }
  return out;
}

export function draw(scenes) {
  const css = [];
  const bodies = [];
  let now = 0;
  let height = 0;
  let names = 0;
  const rules = []; // made when the length of all is known
  const shows = (from, to) => {
    const name = `k${names++}`;
    rules.push((total) => {
      const [a, b] = [from, to].map((t) => Math.min(100, (t / total) * 100).toFixed(2));
      const end = b === "100.00" ? "" : `${b}%{opacity:1}${(+b + 0.01).toFixed(2)}%,100%{opacity:0}`;
      const start = +a === 0 ? "0%{opacity:1}" : `0%,${(+a - 0.01).toFixed(2)}%{opacity:0}${a}%{opacity:1}`;
      return `@keyframes ${name}{${start}${end || "100%{opacity:1}"}}.${name}{animation-name:${name}}`;
    });
    return name;
  };
  const types = (from, to, keys) => {
    const name = `k${names++}`;
    rules.push((total) => {
      const [a, b] = [from, to].map((t) => ((t / total) * 100).toFixed(2));
      return `@keyframes ${name}{0%,${a}%{transform:translateX(0);animation-timing-function:steps(${keys})}` +
        `${b}%{transform:translateX(${(keys * charWidth).toFixed(1)}px)}${(+b + 0.01).toFixed(2)}%,100%{transform:translateX(${columns * 2 * charWidth}px)}}.${name}{animation-name:${name}}`;
    });
    return name;
  };
  for (const scene of scenes) {
    const begin = now;
    let y = margin + size;
    let body = "";
    for (const step of scene) {
      const keys = step.command.length;
      const start = now;
      const typed = start + 0.3 + keys * perKey;
      const prompt = [{ text: "$ ", style: "green bold", column: 0 }, { text: step.command, style: "bold", column: 2 }];
      const x = margin + 2 * charWidth;
      const cover = types(start + 0.3, typed, keys);
      let text = words(prompt, y) +
        `<g class="a ${cover}"><rect class="screen" x="${x}" y="${y - size - 1}" width="${columns * charWidth}" height="${lineHeight}"/>` +
        `<rect class="cursor" x="${x}" y="${y - size + 1}" width="${charWidth}" height="${size + 2}"/></g>`;
      body += `<g id="${step.id}"><g class="a ${shows(start, 1e9)}">${text}</g>`;
      y += lineHeight;
      text = "";
      for (const row of step.lines.flatMap(rows)) {
        text += words(row, y) + "\n";
        y += lineHeight;
      }
      body += `<g class="a ${shows(typed + 0.25, 1e9)}">\n${text}</g></g>`;
      now = typed + 0.25 + step.hold;
      y += lineHeight / 2;
    }
    height = Math.max(height, y);
    bodies.push(`<g class="a scene ${shows(begin, now)}">${body}</g>`);
  }
  const width = Math.round(columns * charWidth + 2 * margin);
  height = Math.round(height - size);
  css.push(...rules.map((rule) => rule(now)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>pillion in a terminal: rm -rf ~ is denied; npm ci is refused, then allowed for one host; the tests pass</title>
<!-- Made by test/picture/run. -->
<style>
svg{--screen:#fbfbfc;--text:#24292f;--faint:#6e7781;--red:#c4212b;--green:#1a7f37;--yellow:#8a5a00;--blue:#0858c0;--edge:#d0d7de}
@media (prefers-color-scheme:dark){svg{--screen:#161b22;--text:#d8dee6;--faint:#8b949e;--red:#ff7b72;--green:#56d364;--yellow:#e3b341;--blue:#79c0ff;--edge:#30363d}}
text{font:${size}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--text)}
.screen{fill:var(--screen)}.frame{fill:none;stroke:var(--edge)}.cursor{fill:var(--text)}
.bold{font-weight:bold}.faint{fill:var(--faint)}.red{fill:var(--red)}.green{fill:var(--green)}.yellow{fill:var(--yellow)}.blue{fill:var(--blue)}
.a{animation-duration:${now.toFixed(2)}s;animation-iteration-count:infinite;animation-timing-function:step-end}
@media (prefers-reduced-motion:reduce){.a{animation:none}.a>.screen,.cursor{display:none}.scene~.scene{display:none}}
${css.join("\n")}
</style>
<clipPath id="all"><rect width="${width}" height="${height}" rx="8"/></clipPath>
<g clip-path="url(#all)"><rect class="screen" width="${width}" height="${height}"/>
${bodies.join("\n")}
</g><rect class="frame" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
</svg>
`;
}
