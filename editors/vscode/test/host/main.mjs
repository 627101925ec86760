// Runs the tests of tests/ inside the extension host of one VS Code, against the
// installed .vsix:  main.mjs INSTALL VSIX

import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBrowser } from "../ui/lib/browser.mjs";
import until from "../ui/lib/until.cjs";
import { read, startVSCode } from "../ui/lib/vscode.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [install, vsix] = process.argv.slice(2);
const deadlineMs = 180_000;

const editor = await startVSCode({
  install, vsix,
  user: { "security.workspace.trust.enabled": false },
  // With it a page may name tests to run.
  args: ["--enable-smoke-test-driver"],
});
try {
  await workspace(join(editor.root, "ws"));
  const log = editor.results;
  await appendFile(log, "");
  const browser = await openBrowser();
  try {
    const remote = (path) => `vscode-remote://${editor.authority}${path}`;
    await browser.page.goto(editor.url({
      workspace: join(editor.root, "ws/both.code-workspace"),
      payload: JSON.stringify([["extensionDevelopmentPath", remote(here)], ["extensionTestsPath", remote(join(here, "index.cjs"))]]),
    }));
    await until("the tests' last line", async () => /^\d+ passed, \d+ failed$/m.test(await read(log)), deadlineMs)
      .catch(async (error) => appendFile(log, `${editor.log()}\nFAIL  ${error.message}\n0 passed, 1 failed\n`));
  } finally {
    await browser.close();
  }
  const text = await readFile(log, "utf8");
  process.stdout.write(text);
  process.exitCode = /^[1-9]\d* passed, 0 failed\n$/m.test(text) ? 0 : 1;
} finally {
  await editor.stop();
}

/** Two folders. The first one tries what a repository must not be able to do. */
async function workspace(ws) {
  for (const name of ["one", "two"]) {
    await mkdir(join(ws, name, ".vscode"), { recursive: true });
    await writeFile(join(ws, name, "name.txt"), `${name}\n`);
  }
  const evil = join(ws, "one/evil");
  await writeFile(evil, `#!/bin/sh\ntouch '${ws}/one/the-workspace-chose-the-binary'\necho 'pillion 0.1.0'\n`, { mode: 0o755 });
  const chosen = { "pillion.server.path": evil, "pillion.sandbox.mode": "off", "pillion.policy": { allowOff: true } };
  await writeFile(join(ws, "one/.vscode/settings.json"), JSON.stringify(chosen));
  await writeFile(join(ws, "both.code-workspace"), JSON.stringify({ folders: [{ path: "one" }, { path: "two" }], settings: chosen }));
  const tasks = [["well", "touch task.txt"], ["broken", "exit 7"], ["denied", "rm -rf ~"], ["env", "echo $GREETING >env.txt", { GREETING: "grüße" }]];
  await writeFile(join(ws, "one/.vscode/tasks.json"), JSON.stringify({
    version: "2.0.0",
    tasks: tasks.map(([label, command, env]) => ({ label, type: "pillion", command, env, problemMatcher: [] })),
  }));
}
