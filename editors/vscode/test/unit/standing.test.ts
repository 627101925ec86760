// When an agent's command needs a person's word before it is tried.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import type { Client } from "../../src/client.js";
import { needsConfirmation } from "../../src/standing.js";
import { world, type World } from "./world.js";

let own: World;
let client: Client;
before(async () => { own = world(); client = await own.start(); });
after(() => own.remove());

const asks = async (command: string, more = {}) => needsConfirmation((await client.check([{ command, cwd: own.folder, ...more }])).verdicts[0]);

test("none for what is allowed and confined, is denied, or is asked about by the guard", async () => {
  assert.equal(await asks("npm test"), false);
  assert.equal(await asks("rm -rf ~"), false);
  assert.equal(await asks("git push --force"), false);
  assert.equal(await asks("true", { cwd: "/" }), false);
});

test("one for what is not confined as promised, or not known", async () => {
  const [verdict] = (await client.check([{ command: "true", cwd: own.folder }])).verdicts;
  const sandbox = verdict!.effectiveSandbox!;
  assert.equal(needsConfirmation(undefined), true);
  assert.equal(needsConfirmation({ ...verdict!, effectiveSandbox: { ...sandbox, mode: "off" } }), true);
  assert.equal(needsConfirmation({ ...verdict!, effectiveSandbox: { ...sandbox, networkMode: "allow" } }), true);
  assert.equal(needsConfirmation({ ...verdict!, effectiveSandbox: { ...sandbox, weak: ["reads partial"] } }), true);
});
