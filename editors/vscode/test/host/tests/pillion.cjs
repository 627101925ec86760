// What the tests inside the extension host share.

const { join } = require("node:path");
const vscode = require("vscode");

const ui = join(__dirname, "..", "..", "ui");
const { processes } = require(join(ui, "lib", "processes.cjs"));
const until = require(join(ui, "lib", "until.cjs"));

const id = "pillion.pillion";
const [one, two] = vscode.workspace.workspaceFolders.map((folder) => folder.uri.fsPath);

/** Runs a command as a key binding would; answers what became of it. */
const run = (command, cwd = one, more = {}) => vscode.commands.executeCommand("pillion.run", { command, cwd, ...more });

/** The sidecars of this window: children of this very process. */
const sidecars = () => processes().filter((p) => p.ppid === process.pid && p.args.includes("serve") && /pillion/.test(p.args[0]));

const sidecar = () => until("one sidecar", () => {
  const all = sidecars();
  return all.length === 1 && all[0];
});

/** A setting of the user's for as long as body takes. */
async function withSetting(name, value, body) {
  const set = (to) => vscode.workspace.getConfiguration().update(name, to, vscode.ConfigurationTarget.Global);
  await set(value);
  try {
    return await body();
  } finally {
    await set(undefined);
  }
}

module.exports = { id, one, two, run, sidecar, sidecars, until, withSetting };
