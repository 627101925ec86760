// VS Code calls run() inside its extension host.

const { readdirSync } = require("node:fs");
const { join } = require("node:path");

const ui = join(__dirname, "..", "ui");
const Mocha = require(join(ui, "node_modules", "mocha"));
const tests = join(__dirname, "tests");

exports.run = () => new Promise((resolve) => {
  const mocha = new Mocha({ timeout: 60_000, reporter: require(join(ui, "lib", "reporter.cjs")) });
  for (const file of readdirSync(tests).filter((name) => name.endsWith(".test.cjs")).sort()) mocha.addFile(join(tests, file));
  mocha.run(() => resolve());
});
