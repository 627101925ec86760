// The window that all flows share: one VS Code, one page, one folder. Selectors are
// those of the version that is installed.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "./browser.mjs";
import until from "./until.cjs";
import { startVSCode } from "./vscode.mjs";

export let page;
export let folder;
/** For files that are not in the folder. */
export let home;
let editor;
let browser;

export async function open(install, vsix) {
  editor = await startVSCode({ install, vsix });
  folder = join(editor.root, "ws");
  home = editor.home;
  execFileSync("git", ["init", "-q", folder]);
  browser = await openBrowser();
  page = browser.page;
  await page.goto(editor.url({ folder }));
  await page.locator("#status\\.workspaceTrust, [id='pillion.pillion.pillion.status']").first().waitFor({ timeout: 90_000 });
}

/** The settings of this machine: where VS Code keeps those that no workspace may have. */
export function settings(values) {
  mkdirSync(join(editor.root, "data/Machine"), { recursive: true });
  writeFileSync(join(editor.root, "data/Machine/settings.json"), JSON.stringify(values));
}

export async function close() {
  await browser?.close();
  await editor?.stop();
}

/** The field of the palette, of a list or of an input box. */
export const input = () => page.locator(".quick-input-widget:visible input").first();

/** What the palette offers for a text. Its list is what there was when it opened. */
export async function offered(text) {
  await page.keyboard.press("F1");
  await input().fill(`>${text}`);
  const rows = page.locator(".quick-input-list .monaco-list-row");
  await rows.first().waitFor();
  return rows;
}

/** Chooses a command of the palette by its title. */
export async function command(title) {
  await until(`"${title}" in the palette`, async () => {
    const row = (await offered(title)).filter({ hasText: title }).first();
    if (await row.isVisible()) return row.click().then(() => true);
    await page.keyboard.press("Escape");
    return false;
  });
}

/** Runs a command as a person does: by the palette and its input box. */
export async function run(text) {
  await command("pillion: Run Command…");
  await page.locator(".quick-input-title:visible", { hasText: "pillion: run a command" }).waitFor();
  await input().fill(text);
  await page.keyboard.press("Enter");
  await page.mouse.move(640, 400); // nothing is to look as if it were pointed at
}

export const status = () => page.locator("[id='pillion.pillion.pillion.status']");
export const dialog = () => page.locator(".monaco-dialog-box");
export const toast = (text) => page.locator(".notification-toast", { hasText: text });

const shown = () => page.locator(".terminal-wrapper:visible .xterm-screen");
const row = (text) => shown().locator(".xterm-rows > div", { hasText: text });

/** The terminal's rows, once one has this text and all of them are drawn: a piece of output may take more than one frame. */
export const terminal = {
  screen: shown,
  row,
  async rows(text, timeout = 30_000) {
    await row(text).first().waitFor({ timeout });
    let before;
    return until("a terminal that stands still", async () => {
      const now = (await shown().locator(".xterm-rows > div").allInnerTexts()).map((line) => line.replaceAll("\u00a0", " ").trimEnd());
      const still = before?.join("\n") === now.join("\n");
      before = now;
      return still && now;
    }, timeout);
  },
};

/** Nothing that a flow has left open is in the way of the next one. */
export async function tidy() {
  for (const button of await page.locator(".notification-toast .codicon-notifications-clear").all()) await button.click().catch(() => {});
  for (const open of [dialog(), page.locator(".quick-input-widget:visible")]) {
    await until("an empty window", async () => await open.count() === 0 || page.keyboard.press("Escape").then(() => false));
  }
  await command("Terminal: Kill All Terminals");
  await page.locator(".terminal-wrapper:visible").waitFor({ state: "hidden" });
}
