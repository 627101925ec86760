import assert from "node:assert/strict";
import { offered, page, status } from "../lib/window.mjs";

describe("Restricted Mode", () => {
  it("has none of pillion's commands, and no status item", async () => {
    await page.locator("#status\\.workspaceTrust", { hasText: "Restricted Mode" }).waitFor();
    // The palette is there, and knows commands: those of pillion are not among them.
    assert.ok(await (await offered("View: Toggle Terminal")).filter({ hasText: "Toggle Terminal" }).count() > 0);
    await page.keyboard.press("Escape");
    const rows = await (await offered("pillion:")).allInnerTexts();
    await page.keyboard.press("Escape");
    assert.deepEqual(rows.filter((row) => /pillion/i.test(row)), []);
    assert.equal(await status().count(), 0);
  });

  it("ends when a person trusts the folder, and the commands are there", async () => {
    await page.locator("#status\\.workspaceTrust").click();
    await page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).first().click();
    await status().waitFor();
    await page.locator("[aria-label^='Close Modal Editor']").click();
    const rows = await (await offered("pillion:")).allInnerTexts();
    await page.keyboard.press("Escape");
    for (const title of ["Run Command…", "Rerun Last Command", "Cancel Command…", "Show Output", "Restart Server", "Show Version"]) {
      assert.ok(rows.some((row) => row.startsWith(`pillion: ${title}`)), `${title} is not in ${rows.join("; ")}`);
    }
  });
});
