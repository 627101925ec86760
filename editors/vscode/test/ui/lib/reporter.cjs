// Prints a line for each test as it ends, and the sum as the last line. With
// PILLION_TEST_LOG into that file: an extension host has no terminal.

const { appendFileSync } = require("node:fs");
const { Runner } = require("mocha");

const { EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING, EVENT_RUN_END } = Runner.constants;

module.exports = class {
  constructor(runner) {
    const file = process.env.PILLION_TEST_LOG;
    const print = (line) => (file ? appendFileSync(file, `${line}\n`) : console.log(line));
    let passed = 0;
    let failed = 0;
    runner
      .on(EVENT_TEST_PASS, (test) => {
        passed++;
        print(`ok    ${test.fullTitle()} (${test.duration} ms)`);
      })
      .on(EVENT_TEST_FAIL, (test, error) => {
        failed++;
        print(`FAIL  ${test.fullTitle()}\n${indent(error.stack ?? String(error))}`);
      })
      // A test that is skipped has not passed.
      .on(EVENT_TEST_PENDING, (test) => {
        failed++;
        print(`FAIL  ${test.fullTitle()}: skipped`);
      })
      .once(EVENT_RUN_END, () => print(`${passed} passed, ${failed} failed`));
  }
};

const indent = (text) => text.replace(/^/gm, "      ");
