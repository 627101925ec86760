import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dialog, folder, run, settings, status, terminal, tidy, toast } from "../lib/window.mjs";

describe("a host that is not in the address book", () => {
  before(async () => {
    settings({ "pillion.sandbox.network": "proxy", "pillion.policy": { allowNetwork: true } });
    await status().locator("[aria-label*='network by address book']").waitFor();
  });
  after(async () => {
    settings({});
    await tidy();
  });

  it("is asked about by name, and not reached when it is declined", async () => {
    await run("curl -fsS http://registry.example/ || echo refused");
    await dialog().waitFor();
    assert.match(await dialog().locator(".dialog-message-text").innerText(), /registry\.example:80/);
    assert.match(await dialog().locator(".dialog-message-detail").innerText(), /curl -fsS http:\/\/registry\.example\//);
    await dialog().getByRole("button", { name: "Decline", exact: true }).click();
    const rows = await terminal.rows("pillion: exit 0");
    assert.ok(rows.includes("refused"), rows.join("\n"));
    assert.match(rows.join(""), /pillion: refused: registry\.example:80 \(not listed\); to allow it: /);
  });
});

describe("a name that is looked up where there is no network", () => {
  before(async () => {
    settings({ "pillion.sandbox.network": "deny" });
    await status().locator("[aria-label*='network denied']").waitFor();
  });
  after(async () => {
    settings({});
    await tidy();
  });

  it("is told while the command runs on, in its terminal and in its notification", async () => {
    await run("getent hosts npm.example; until [ -e on ]; do sleep 0.1; done; echo end");
    await toast("refused: resolve npm.example (network)").waitFor();
    await terminal.rows("refused: resolve npm.example (network)");
    writeFileSync(join(folder, "on"), "");
    const rows = (await terminal.rows("pillion: exit 0")).join("");
    assert.equal(rows.split("refused: resolve npm.example").length, 2, rows);
  });
});
