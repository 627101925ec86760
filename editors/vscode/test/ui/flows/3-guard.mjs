import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { colours, picture } from "../lib/picture.mjs";
import { command, dialog, folder, home, input, page, run, settings, status, terminal, tidy, toast } from "../lib/window.mjs";

describe("a denied command", () => {
  after(tidy);

  it("shows why and what to do instead, in the terminal", async () => {
    await run("git add -A; rm -rf ~");
    const rows = (await terminal.rows("fs/delete-system")).join("\n");
    assert.match(rows, /^pillion: denied: deletes /m);
    assert.match(rows, /^ {4}git add -A; rm -rf ~$/m);
    assert.match(rows, /^ {2}why +\S/m);
    assert.match(rows, /^ {2}instead +\S/m);
  });

  it("marks the span that was the reason, and nothing else", async () => {
    const marked = await terminal.row(/^\s{4}git add/).locator("span").evaluateAll((spans) => spans
      .filter((span) => getComputedStyle(span).textDecorationLine.includes("underline")).map((span) => span.textContent));
    assert.deepEqual(marked, ["~"]);
    assert.ok((await colours(terminal.screen())).red > 50);
  });

  it("says so in a notification, too", async () => {
    await toast("denied: deletes").waitFor();
    assert.match(await toast("denied: deletes").innerText(), /; instead: /);
    await picture("denied");
  });
});

describe("a command that the guard asks about", () => {
  const file = () => join(folder, "untracked.txt");
  const asked = "git clean -fdxq && echo cleaned";

  // A command that could only lose things of the workspace is asked about if the user wants that.
  before(() => settings({ "pillion.policy": { rules: { "git/clean": "ask" } } }));
  after(() => settings({}));
  beforeEach(async () => {
    writeFileSync(file(), "nowhere else\n");
    await run(asked);
    await dialog().waitFor();
  });
  afterEach(tidy);

  const press = (name) => dialog().getByRole("button", { name, exact: true }).click();

  it("is shown exactly, with the finding and a suggestion, before it runs", async () => {
    const detail = (await dialog().locator(".dialog-message-detail").innerText()).split("\n");
    assert.equal(detail[0].trim(), "git ⟦clean -fdxq⟧ && echo cleaned");
    assert.equal(await dialog().locator(".dialog-message-text").innerText(), `Run ${asked}?`);
    assert.match(detail.join("\n"), /git\/clean/);
    assert.match(detail.join("\n"), /instead +.*git clean -fdxq -n/);
    const buttons = await dialog().locator(".dialog-buttons .monaco-button").allInnerTexts();
    for (const name of ["Accept", "Decline", "Edit…"]) assert.ok(buttons.includes(name), buttons.join());
    assert.equal(existsSync(file()), true);
    await picture("approval");
    await press("Decline");
    await terminal.rows("declined");
  });

  it("does not run when it is declined", async () => {
    await press("Decline");
    await terminal.rows("pillion: declined");
    assert.equal(existsSync(file()), true);
  });

  it("does not run when Enter is pressed, as in whatever was being typed when the dialog came", async () => {
    await page.keyboard.press("Enter");
    await terminal.rows("pillion: declined");
    assert.equal(existsSync(file()), true);
  });

  it("does not run when the dialog is closed without an answer", async () => {
    await page.keyboard.press("Escape");
    await terminal.rows("pillion: declined");
    assert.equal(existsSync(file()), true);
  });

  it("runs when it is accepted", async () => {
    await press("Accept");
    await terminal.rows("pillion: exit 0");
    await terminal.row("cleaned").first().waitFor();
    assert.equal(existsSync(file()), false);
  });

  it("is not asked about any more when it is accepted for good", async () => {
    assert.match(await dialog().locator(".dialog-message-detail").innerText(), /^ *always +\S/m);
    await press("Always Accept");
    await terminal.rows("pillion: exit 0");
    await tidy();
    writeFileSync(file(), "again\n");
    await run(asked);
    await terminal.rows("pillion: exit 0");
    assert.equal(existsSync(file()), false);
    // For the other tests, it is taken back.
    const policy = join(home, ".config/pillion/policy.toml");
    assert.match(readFileSync(policy, "utf8"), /\[\[grant\]\]/);
    rmSync(policy);
    await command("pillion: Restart Server");
    await status().filter({ hasText: "pillion: enforced" }).waitFor();
  });

  it("runs as it was edited", async () => {
    await press("Edit…");
    await page.locator(".quick-input-title:visible", { hasText: "pillion: run this instead" }).waitFor();
    assert.equal(await input().inputValue(), asked);
    await input().fill("git clean -n");
    await page.keyboard.press("Enter");
    const rows = await terminal.rows("pillion: exit 0");
    assert.ok(rows.some((row) => row.includes("Would remove untracked.txt")), rows.join("\n"));
    assert.equal(existsSync(file()), true);
  });
});

describe("what the sandbox refused", () => {
  let outside;
  let server;

  before(async () => {
    outside = mkdtempSync("/srv/pillion-ui-"); // a sandbox has a /tmp of its own
    writeFileSync(join(outside, "plan.md"), "the plan\n");
    server = createServer((peer) => peer.end("hello\n")).listen(join(outside, "db.sock"));
    await once(server, "listening");
    writeFileSync(join(folder, "read.sh"), `cat ${outside}/plan.md\n`);
    writeFileSync(join(folder, "write.sh"), `date >${outside}/made\n`);
    writeFileSync(join(folder, "dial.sh"), `perl -e 'use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($ARGV[0])) or die "$ARGV[0]: $!"; print <$s>;' ${outside}/db.sock\n`);
    settings({ "pillion.limits": { maxFileBytes: 100_000 } });
    await command("pillion: Restart Server");
    await status().filter({ hasText: "pillion: enforced" }).waitFor();
  });
  after(() => {
    settings({});
    server.close();
    rmSync(outside, { recursive: true });
  });
  afterEach(tidy);

  const commands = { "a read": "sh read.sh", "a write": "sh write.sh", "a socket": "sh dial.sh", "a limit": "head -c 150000 /dev/zero >big" };
  for (const [what, refused] of Object.entries(commands)) {
    it(`is given for one more run by one click: ${what}`, async () => {
      await run(refused);
      await toast("refused: ").getByRole("button", { name: "Allow This Once and Run Again" }).click();
      await terminal.rows("pillion: exit 0");
    });
  }

  it("is not given to the run behind it", async () => {
    await run("sh read.sh");
    await terminal.rows("refused: ");
  });
});

describe("what a command lacks", () => {
  let outside;

  before(() => {
    outside = mkdtempSync("/srv/pillion-ui-");
    writeFileSync(join(outside, "plan.md"), "the plan\n");
  });
  after(() => rmSync(outside, { recursive: true }));
  afterEach(tidy);

  it("is asked about with exactly that", async () => {
    await run(`cat ${outside}/plan.md`);
    await dialog().waitFor();
    assert.match(await dialog().locator(".dialog-message-detail").innerText(), /^ *gives +reading .*\/plan\.md, for this run$/m);
    await dialog().getByRole("button", { name: "Accept", exact: true }).click();
    await terminal.rows("pillion: exit 0");
    await terminal.row("the plan").first().waitFor();
  });
});
