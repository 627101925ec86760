const assert = require("node:assert/strict");
const { existsSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { one, run } = require("./pillion.cjs");

describe("a denied command", () => {
  it("is not started, and the message says why and what to do instead", async () => {
    writeFileSync(join(process.env.HOME, "precious"), "");
    const report = await run("touch started; rm -rf ~");
    assert.equal(report.status, "guardDenied");
    assert.equal(report.exitCode, null);
    assert.match(report.message, /^pillion: denied: deletes .*; instead: /);
    assert.equal(report.output, "");
    assert.equal(existsSync(join(one, "started")), false);
    assert.equal(existsSync(join(process.env.HOME, "precious")), true);
  });
});
