import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import until from "../lib/until.cjs";
import { folder, page, run, tidy, toast } from "../lib/window.mjs";

const site = join(dirname(fileURLToPath(import.meta.url)), "../site");

describe("a dev server that a command has started", () => {
  it("is opened in the browser by one click, lives, and ends with its command", async () => {
    const here = join(folder, "site");
    cpSync(site, here, { recursive: true });
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here });
    await run("cd site && npm run dev");
    const offer = toast("listens on port 5173 in the sandbox");
    await offer.waitFor();
    const [tab] = await Promise.all([page.context().waitForEvent("page"), offer.getByRole("button", { name: "Open in Browser" }).click()]);
    // The package is code-server's, and what is run of it lacks the front that carries such paths.
    await tab.waitForURL(/\/proxy\/\d+\/$/, { waitUntil: "commit" });
    const address = tab.url().replace(/:\d+\/proxy\/(\d+)\/$/, ":$1/");
    const connected = tab.waitForEvent("console", (message) => message.text().includes("[vite] connected"));
    await tab.goto(address);
    const title = tab.locator("h1");
    await title.filter({ hasText: "made in the sandbox" }).waitFor();
    await connected;
    // What is changed comes through the socket that the page has with the server.
    writeFileSync(join(here, "text.js"), 'export const text = "changed";\n');
    await title.filter({ hasText: "changed" }).waitFor();
    await tab.close();
    await tidy(); // which kills its terminal
    await until("its end", () => fetch(address).then(() => false, () => true));
  });
});
