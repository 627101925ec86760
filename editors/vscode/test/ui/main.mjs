// Runs the flows in one window of a real VS Code:  main.mjs INSTALL VSIX AGENT [FLOW]…

import { mkdir } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Mocha from "mocha";
import { close, open, page } from "./lib/window.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const reporter = createRequire(import.meta.url)("./lib/reporter.cjs");
const [install, vsix, agent, ...only] = process.argv.slice(2);

const mocha = new Mocha({ timeout: 120_000, reporter });
mocha.rootHooks({
  // What it looked like, beside what was expected.
  async afterEach() {
    if (this.currentTest.state !== "failed") return;
    const dir = join(here, "../../../../dist/img");
    await mkdir(dir, { recursive: true });
    await page.screenshot({ path: join(dir, `failed-${this.currentTest.title.replace(/\W+/g, "-").slice(0, 60)}.png`) }).catch(() => {});
  },
});
const flows = join(here, "flows");
const wanted = (file) => only.length === 0 || only.some((flow) => file.startsWith(flow));
for (const file of readdirSync(flows).sort().filter(wanted)) mocha.addFile(join(flows, file));
await mocha.loadFilesAsync();
try {
  await open(install, [vsix, agent]);
  const failures = await new Promise((resolve) => { mocha.run(resolve); });
  process.exitCode = failures === 0 ? 0 : 1;
} finally {
  await close();
}
