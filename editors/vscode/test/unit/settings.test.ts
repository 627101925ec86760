import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { world } from "./world.js";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { properties } = manifest.contributes.configuration as { properties: Record<string, { scope: string; default: unknown; enum?: (string | null)[]; enumItemLabels?: string[] }> };

test("settings: none that chooses the binary, the policy or the sandbox comes from a workspace", () => {
  const free = Object.keys(properties).filter((key) => properties[key]!.scope !== "machine");
  assert.deepEqual(free, ["pillion.trace.server"]);
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, Object.keys(properties).filter((key) => !free.includes(key)));
  assert.equal(manifest.capabilities.untrustedWorkspaces.supported, false);
});

test("settings: what isn't set is pillion's own default", () => {
  for (const [key, { default: value }] of Object.entries(properties)) {
    if (/\.(profile|timeout|sandbox\..*)$/.test(key)) assert.equal(value, null, key);
  }
});

test("settings: a choice that isn't made has a word in the drop-down", () => {
  const choices = Object.entries(properties).filter(([, p]) => p.enum?.includes(null));
  assert.ok(choices.length >= 5);
  for (const [key, { enum: words, enumItemLabels: labels }] of choices) assert.deepEqual(labels, words!.map((word) => word ?? "default"), key);
});

test("settings: every profile that is offered is one of pillion's", async () => {
  const profiles = properties["pillion.profile"]!.enum!.filter((profile) => typeof profile === "string");
  const w = world();
  try {
    await Promise.all(profiles.map((profile) => w.start({ profile })));
  } finally {
    await w.remove();
  }
});

test("settings: the types of the protocol are those of the binary", async () => {
  const { schemaHash } = await import("../../../protocol/protocol.js");
  const w = world();
  try {
    assert.equal((await w.start()).info.serverInfo.schemaHash, schemaHash);
  } finally {
    await w.remove();
  }
});

test("package.json: nothing is shipped that the oldest supported VS Code lacks the types of", () => {
  assert.equal(manifest.engines.vscode, `^${manifest.devDependencies["@types/vscode"]}`);
});
