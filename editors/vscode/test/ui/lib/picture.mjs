// Screenshots: kept for people, and read for colours that no DOM shows.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PNG } from "pngjs";
import { page } from "./window.mjs";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../../../../..");
const places = ["dist/img", ...(process.env.PILLION_PICTURES ? ["docs/img"] : [])];

/** Keeps a picture of the window, or of a part of it. */
export async function picture(name, clip) {
  const png = await page.screenshot({ clip, caret: "hide" });
  for (const place of places) {
    const dir = join(repository, place);
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, `vscode-${name}.png`), png);
  }
}

/** How many pixels of a part of the window are clearly of each of these colours. */
export async function colours(locator) {
  const { data } = PNG.sync.read(await locator.screenshot());
  const count = { red: 0, green: 0, blue: 0 };
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = data.subarray(i, i + 3);
    if (r > 150 && r > 1.8 * g && r > 1.8 * b) count.red++;
    if (g > 120 && g > 1.5 * r && g > 1.2 * b) count.green++;
    if (b > 150 && b > 1.5 * r && b > 1.2 * g) count.blue++;
  }
  return count;
}
