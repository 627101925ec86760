import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { colours, picture } from "../lib/picture.mjs";
import until from "../lib/until.cjs";
import { folder, page, run, status, terminal, tidy } from "../lib/window.mjs";

const script = `for part in parser server client; do
  printf '\\033[32mok\\033[0m    %s\\n' "$part"
done
touch waiting
while [ -e waiting ]; do sleep 0.05; done
printf '\\033[31mFAIL\\033[0m  sandbox: \\033[34mexpected 3, got 4\\033[0m\\n'
exit 1
`;

describe("a command from the palette", () => {
  after(tidy);

  it("streams: its output is in the terminal while it runs", async () => {
    writeFileSync(join(folder, "check.sh"), script);
    await run("sh check.sh");
    const rows = await terminal.rows("client");
    assert.equal(rows[0], "$ sh check.sh");
    assert.ok(!rows.some((row) => row.includes("FAIL")));
    const early = await colours(terminal.screen());
    assert.ok(early.green > 20, `green pixels: ${early.green}`);
    assert.equal(early.red, 0);
  });

  it("says in the status item that one runs", async () => {
    await page.locator("[id='pillion.pillion.pillion.status']", { hasText: /\b1\b/ }).waitFor();
  });

  it("ends with its exit code and what confined it", async () => {
    rmSync(join(folder, "waiting"));
    const rows = await terminal.rows("pillion: exit 1");
    assert.deepEqual(rows.slice(1, 5), ["ok    parser", "ok    server", "ok    client", "FAIL  sandbox: expected 3, got 4"]);
    assert.match(rows[5], /^pillion: exit 1 · .* · workspace-write, network by address book$/);
  });

  it("is drawn in its colours", async () => {
    const seen = await colours(terminal.screen());
    for (const colour of ["red", "green", "blue"]) assert.ok(seen[colour] > 20, `${colour} pixels: ${seen[colour]}`);
    await picture("terminal");
  });

  it("cannot reach the clipboard or the title by escape sequences", async () => {
    await page.evaluate(() => navigator.clipboard.writeText("mine"));
    writeFileSync(join(folder, "escapes.sh"), "printf '\\033]0;evil\\007\\033]52;c;ZXZpbA==\\007after\\n'\n"); // ZXZpbA== is evil
    await run("sh escapes.sh");
    const rows = await terminal.rows("pillion: exit 0");
    assert.equal(rows[1], "after");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "mine");
    assert.ok(!(await page.locator(".part.panel").innerText()).includes("evil"));
  });
});

describe("the status item", () => {
  it("says that the sandbox is enforced, and its tooltip how", async () => {
    await page.locator("[id='pillion.pillion.pillion.status']", { hasText: "pillion: enforced" }).waitFor();
    await status().hover();
    const tooltip = page.locator(".workbench-hover", { hasText: "workspace-write, network by address book" });
    await tooltip.waitFor();
    await until("the tooltip, faded in", () => tooltip.evaluate((e) => e.getAnimations({ subtree: true }).length === 0 && getComputedStyle(e.closest(".context-view") ?? e).opacity === "1"));
    await picture("status");
    await page.mouse.move(600, 200);
  });

  it("offers a menu", async () => {
    await status().click();
    const rows = page.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ hasText: "Restart Server" }).waitFor();
    await rows.filter({ hasText: "Doctor" }).waitFor();
    await rows.filter({ hasText: "Settings" }).waitFor();
    await page.keyboard.press("Escape");
  });
});
