import assert from "node:assert/strict";
import { dialog, run, settings, status, terminal, tidy } from "../lib/window.mjs";

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
