// The browser that shows VS Code.

import { chromium } from "playwright-core";

const quiet = [
  "--no-sandbox", // everything it shows is ours, and as root it has none
  "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export async function openBrowser(viewport = { width: 1100, height: 700 }) {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: quiet });
  const context = await browser.newContext({ viewport, deviceScaleFactor: 1, reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"] });
  context.setDefaultTimeout(30_000);
  return { page: await context.newPage(), close: () => browser.close() };
}
