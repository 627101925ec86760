import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import until from "../lib/until.cjs";
import { folder, page, run, tidy, toast } from "../lib/window.mjs";

const site = join(dirname(fileURLToPath(import.meta.url)), "../site");

const said = "made in the sandbox";

const others = [
  // As Next.js does it: a worker listens, and tells its parent.
  ["node", 3000, "node dev.js", {
    "dev.js": 'require("child_process").fork("./worker.js")',
    "worker.js": `require("http").createServer((req, res) => res.end("<h1>${said}</h1>")).listen(3000)`,
  }],
  ["flask", 5000, "flask --app pages run --port 5000", {
    "pages.py": `from flask import Flask\napp = Flask(__name__)\napp.add_url_rule("/", "page", lambda: "<h1>${said}</h1>")\n`,
  }],
  ["go", 8080, "./site", {
    "site.go": `package main\n\nimport "net/http"\n\nfunc main() { panic(http.ListenAndServe("127.0.0.1:8080", http.FileServer(http.Dir(".")))) }\n`,
    "index.html": `<h1>${said}</h1>`,
  }],
];

/** Where one click opens what listens. */
async function opened(port) {
  const offer = toast(`listens on port ${port} in the sandbox`);
  await offer.waitFor();
  const [tab] = await Promise.all([page.context().waitForEvent("page"), offer.getByRole("button", { name: "Open in Browser" }).click()]);
  // The package is code-server's, and what is run of it lacks the front that carries such paths.
  await tab.waitForURL(/\/proxy\/\d+\/$/, { waitUntil: "commit" });
  return [tab, tab.url().replace(/:\d+\/proxy\/(\d+)\/$/, ":$1/")];
}

const ended = (address) => until("its end", () => fetch(address).then(() => false, () => true));

describe("a dev server that a command has started", () => {
  it("is opened in the browser by one click, lives, and ends with its command", async () => {
    const here = join(folder, "site");
    cpSync(site, here, { recursive: true });
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here });
    await run("cd site && npm run dev");
    const [tab, address] = await opened(5173);
    const connected = tab.waitForEvent("console", (message) => message.text().includes("[vite] connected"));
    await tab.goto(address);
    const title = tab.locator("h1");
    await title.filter({ hasText: said }).waitFor();
    await connected;
    // What is changed comes through the socket that the page has with the server.
    writeFileSync(join(here, "text.js"), 'export const text = "changed";\n');
    await title.filter({ hasText: "changed" }).waitFor();
    await tab.close();
    await tidy(); // which kills its terminal
    await ended(address);
  });

  for (const [name, port, command, files] of others) {
    it(`of ${name} as well`, async () => {
      const here = join(folder, `${name}-site`);
      mkdirSync(here);
      for (const [file, text] of Object.entries(files)) writeFileSync(join(here, file), text);
      if (name === "go") execFileSync("go", ["build", "-o", "site", "site.go"], { cwd: here });
      await run(`cd ${name}-site && ${command}`);
      const [tab, address] = await opened(port);
      await tab.goto(address);
      await tab.locator("h1", { hasText: said }).waitFor();
      await tab.close();
      await tidy();
      await ended(address);
    });
  }
});
