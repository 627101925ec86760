import assert from "node:assert/strict";
import { command, page, settings } from "../lib/window.mjs";

// The last flow: its editor stays open, with invalid settings.
describe("settings.json", () => {
  /** What VS Code suggests behind this text. */
  async function suggestions(text) {
    await page.locator(".editor-instance .monaco-editor").first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
    await page.keyboard.press("Control+Space");
    const rows = page.locator(".suggest-widget.visible .monaco-list-row");
    await rows.first().waitFor();
    const labels = await rows.locator(".label-name").allInnerTexts();
    await page.keyboard.press("Escape");
    return labels;
  }

  it("completes the names and the values of pillion's settings", async () => {
    settings({});
    await command("Preferences: Open Remote Settings (JSON)");
    const names = await suggestions('{ "pillion.s');
    for (const name of ["pillion.server.path", "pillion.sandbox.mode"]) assert.ok(names.includes(name), names.join());
    const values = await suggestions('{ "pillion.sandbox.mode": ');
    for (const value of ["read-only", "workspace-write", "off"]) assert.ok(values.includes(`"${value}"`), values.join());
  });
});
