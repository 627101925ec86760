const assert = require("node:assert/strict");
const { chmodSync, existsSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { id, one, run, sidecar, withSetting } = require("./pillion.cjs");

/** A program that only says that it is pillion, of that version. */
function otherServer(version) {
  const file = join(process.env.HOME, "other-pillion");
  writeFileSync(file, `#!/bin/sh\necho 'pillion ${version}'\n`);
  chmodSync(file, 0o755);
  return file;
}

describe("settings", () => {
  it("of the binary, the policy and the sandbox are the machine's, never a workspace's", () => {
    const { properties } = vscode.extensions.getExtension(id).packageJSON.contributes.configuration;
    const names = Object.keys(properties);
    for (const part of ["server.path", "server.args", "server.env", "policy", "timeout", "sandbox.mode"]) assert.ok(names.includes(`pillion.${part}`), part);
    assert.deepEqual(names.filter((name) => properties[name].scope !== "machine"), ["pillion.trace.server"]);
  });

  it("take effect: pillion.timeout ends a command that takes longer", async () => {
    await withSetting("pillion.timeout", 300, async () => {
      const report = await run("sleep 60");
      assert.equal(report.status, "timedOut");
    });
    assert.equal((await run("sleep 0.5")).status, "exited");
  });

  it("take effect: pillion.sandbox.mode read-only", async () => {
    await withSetting("pillion.sandbox.mode", "read-only", async () => {
      assert.notEqual((await run("touch read-only.txt")).exitCode, 0);
    });
    assert.equal(existsSync(join(one, "read-only.txt")), false);
    assert.equal((await run("touch read-only.txt")).exitCode, 0);
  });
});

describe("a server of another version", () => {
  it("is refused in one sentence with the setting, what was found and what is required", async () => {
    const path = otherServer("0.0.9");
    await withSetting("pillion.server.path", path, async () => {
      const { message, status } = await run("true");
      assert.equal(status, "notStarted");
      for (const part of ["pillion.server.path", path, "0.0.9", "required"]) assert.ok(message.includes(part), `${part} is not in: ${message}`);
      assert.doesNotMatch(message.trim(), /[.!?] [A-Z]|\n/, "more than one sentence");
    });
  });

  it("is forgotten when the setting is corrected", async () => {
    assert.equal((await run("true")).exitCode, 0);
    await sidecar();
  });
});
