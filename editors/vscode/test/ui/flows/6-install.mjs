import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { picture } from "../lib/picture.mjs";
import { command, dialog, folder, home, run, status, terminal, tidy } from "../lib/window.mjs";

const registry = join(import.meta.dirname, "../../../../conformance/registry.py");
const tools = ["npm", "pip", "cargo", "go"];

/** What is there when a project is installed; cargo and go have it in a cache. */
const installed = { npm: "node_modules/dep/package.json", pip: "lib/dep.py", cargo: "Cargo.lock", go: "go.sum" };

const has = (program) => {
  try {
    return execFileSync("sh", ["-c", `command -v ${program}`]).length > 0;
  } catch {
    return false;
  }
};

describe("a fresh project, with settings as they come", () => {
  const policy = () => join(home, ".config/pillion/policy.toml");
  let server;
  let projects;

  before(async () => {
    server = spawn("python3", [registry, folder], { stdio: ["pipe", "pipe", "inherit"] });
    const [line] = await once(server.stdout.setEncoding("utf8"), "data");
    projects = JSON.parse(line);
  });
  after(async () => {
    server.stdin.end();
    rmSync(policy(), { force: true });
    await command("pillion: Restart Server");
    await status().filter({ hasText: "pillion: enforced" }).waitFor();
  });
  afterEach(tidy);

  for (const tool of tools) {
    it(`of ${tool} is installed by one question that is answered for good`, async function () {
      if (!has(tool === "pip" ? "pip3" : tool)) return this.skip();
      const { host, command: install } = projects[tool];
      if (tool === "go" && host.startsWith("127.")) return this.skip();
      await run(`cd ${tool} && ${install}`);
      await dialog().waitFor().catch(async () => assert.fail((await terminal.rows("$")).join("\n")));
      assert.ok((await dialog().locator(".dialog-message-text").innerText()).includes(host));
      if (tool === "npm") await picture("install");
      await dialog().getByRole("button", { name: "Always Accept", exact: true }).click();
      await terminal.rows("pillion: exit 0");
      assert.equal(await dialog().count(), 0);
      assert.ok(existsSync(join(folder, tool, installed[tool])));
      assert.ok(readFileSync(policy(), "utf8").includes(host));
      if (tool === "npm") await picture("installed");
    });
  }

  it("asks no more tomorrow, of another sidecar", async () => {
    await command("pillion: Restart Server");
    await status().filter({ hasText: "pillion: enforced" }).waitFor();
    for (const path of ["npm/node_modules", "npm/package-lock.json", "pip/lib"]) rmSync(join(folder, path), { recursive: true, force: true });
    const given = tools.filter((tool) => readFileSync(policy(), "utf8").includes(projects[tool].host));
    assert.notEqual(given.length, 0);
    await run(given.map((tool) => `(cd ${tool} && ${projects[tool].command} && curl -sS http://${projects[tool].host}/)`).join(" && "));
    await terminal.rows("pillion: exit 0");
    assert.equal(await dialog().count(), 0);
  });
});
