import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import until from "../lib/until.cjs";
import { command, dialog, folder, page, run, settings, terminal, tidy, toast } from "../lib/window.mjs";

describe("a question about the command of an agent in the background", () => {
  const file = (name) => join(folder, name);
  const item = () => page.locator("[id='pillion.pillion.pillion.question']");
  const notification = () => toast("an agent asks: Run git clean -fdxq lost.txt?");
  const told = () => until("what the agent is told", () => existsSync(file("agent.txt")) && readFileSync(file("agent.txt"), "utf8"));

  before(() => settings({ "pillion.policy": { rules: { "git/clean": "ask" } } }));
  after(() => settings({}));
  beforeEach(async () => {
    rmSync(file("agent.txt"), { force: true });
    writeFileSync(file("lost.txt"), "nowhere else\n");
    writeFileSync(file("agent.sh"), "git clean -fdxq lost.txt");
    await command("Test: Agent");
    await notification().waitFor();
    await item().waitFor();
  });
  afterEach(async () => {
    await tidy();
    await item().waitFor({ state: "hidden" });
  });

  const declined = async () => {
    assert.match(await told(), /Nothing was run/);
    assert.equal(existsSync(file("lost.txt")), true);
  };

  it("leaves the window to the person: other commands run, Enter is theirs, and no is one click", async () => {
    assert.equal(await dialog().count(), 0);
    await run("echo mean''while");
    await terminal.rows("pillion: exit 0");
    await terminal.row("meanwhile").first().waitFor();
    await page.keyboard.press("Enter");
    assert.equal(existsSync(file("agent.txt")), false);
    assert.equal(await dialog().count(), 0);
    await notification().getByRole("button", { name: "Decline" }).click();
    await declined();
  });

  it("is answered with yes only in the dialog, which shows all of it", async () => {
    const buttons = await notification().locator(".monaco-button").allInnerTexts();
    assert.deepEqual(buttons.sort(), ["Answer…", "Decline"]);
    await notification().getByRole("button", { name: "Answer…" }).click();
    assert.match(await dialog().locator(".dialog-message-detail").innerText(), /⟦clean -fdxq lost\.txt⟧[^]*git\/clean/);
    await dialog().getByRole("button", { name: "Accept", exact: true }).click();
    assert.match(await told(), /exit 0/);
    assert.equal(existsSync(file("lost.txt")), false);
  });

  it("is opened by the status item, and Enter declines", async () => {
    await item().click();
    await dialog().waitFor();
    await page.keyboard.press("Enter");
    await declined();
  });

  it("is declined when its notification is closed", async () => {
    await notification().hover();
    await notification().locator(".codicon-notifications-clear").click();
    await declined();
  });
});
