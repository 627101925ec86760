import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";

import { locate, LocateError, type Places } from "../../src/server-locator.js";
import { binary } from "./world.js";

const root = mkdtempSync(join(tmpdir(), "pillion-vscode-"));
after(() => rmSync(root, { recursive: true }));

/** A program that says it is another version. */
function fake(name: string, says: string): string {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(file, 0o755);
  return file;
}

const where = (places: Partial<Places>): Places => ({ configured: "", bundled: [], path: "", home: root, ...places });

async function sentence(places: Partial<Places>): Promise<string> {
  const error: unknown = await locate(where(places)).then(() => assert.fail("it was found"), (e: unknown) => e);
  assert.ok(error instanceof LocateError, String(error));
  assert.match(error.message, /^[^.\n].*\.$/, "one sentence");
  assert.match(error.message, /pillion\.server\.path/);
  return error.message;
}

test("locator: the real binary is found by the setting and says its version", async () => {
  const found = await locate(where({ configured: binary, bundled: [fake("bundled/pillion", "pillion 0.9.9")] }));
  assert.equal(found.path, binary);
  assert.equal(found.from, "setting");
  assert.notEqual(found.version, "");
});

test("locator: what came with the extension goes before PATH", async () => {
  const bundled = fake("bin/pillion", "pillion 0.2.0 linux/amd64 go1.26");
  const path = dirname(fake("onpath/pillion", "pillion 0.3.0 linux/amd64 go1.26"));
  assert.deepEqual(await locate(where({ bundled: [join(root, "none"), bundled], path })), { path: bundled, version: "0.2.0", from: "bundled" });
  assert.equal((await locate(where({ bundled: [join(root, "none")], path: `${root}/none:${path}` }))).from, "PATH");
});

test("locator: a relative element of PATH is not looked into", async () => {
  await sentence({ path: ".:node_modules/.bin" });
});

test("locator: the setting may begin with ~", async () => {
  fake("own/pillion", "pillion devel");
  assert.equal((await locate(where({ configured: "~/own/pillion" }))).path, join(root, "own/pillion"));
});

test("locator: versions that fit, and a developer's builds", async () => {
  for (const version of ["devel", "0.1.0", "v0.1.0", "0.9.3-rc1", "1.0.0", "1.2.3-rc.1", "v0.0.0-20261122103000-0123456789ab"]) {
    assert.equal((await locate(where({ configured: fake("v", `pillion ${version} linux/amd64 go1.26`) }))).version, version);
  }
});

test("locator: a wrong version gives one sentence that names the setting, what was found and what is required", async () => {
  for (const version of ["0.0.9", "v0.0.1", "nonsense"]) {
    const file = fake("wrong", `pillion ${version} linux/amd64 go1.26`);
    assert.equal(await sentence({ configured: file }),
      `pillion.server.path names ${file}, which is pillion ${version}, but version 0.1 or newer is required: correct the setting or clear it.`);
  }
});

test("locator: a wrong version that came with the extension names the setting as the way out", async () => {
  assert.match(await sentence({ bundled: [fake("wrong", "pillion 0.0.7")] }), /is pillion 0\.0\.7, but .* is required: set pillion\.server\.path/);
});

test("locator: another program is not taken for pillion", async () => {
  assert.match(await sentence({ configured: fake("other", "other 1.0") }), /does not say its version as pillion does \("other 1.0"\)/);
});

test("locator: a setting that is wrong is said, and nothing else is tried", async () => {
  const bundled = [fake("bin/pillion", "pillion devel")];
  assert.match(await sentence({ configured: join(root, "missing"), bundled }), /no program that can be run/);
  assert.match(await sentence({ configured: root, bundled }), /no program that can be run/);
  assert.match(await sentence({ configured: "dist/pillion", bundled }), /must be an absolute path/);
});

test("locator: no pillion at all", async () => {
  assert.match(await sentence({ path: root }), /none is on PATH/);
});
