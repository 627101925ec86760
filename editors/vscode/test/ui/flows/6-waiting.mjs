import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import until from "../lib/until.cjs";
import { command, folder, input, page, run, terminal, tidy, toast } from "../lib/window.mjs";

describe("a command that waits for input in a terminal that is not in front", () => {
  after(tidy);

  it("has a notification whose answer it gets", async () => {
    writeFileSync(join(folder, "ask.sh"), "touch asks\nwhile [ ! -e front ]; do sleep 0.05; done\nprintf 'Name? '\nread -r x\necho \"got $x\" > answer\n");
    await run("sh ask.sh");
    await until("its start", () => existsSync(join(folder, "asks")));
    await command("Terminal: Create New Terminal");
    await terminal.row("$ sh ask.sh").waitFor({ state: "hidden" });
    writeFileSync(join(folder, "front"), "");
    const question = toast("waits for a line: Name?");
    await question.waitFor();
    await question.getByRole("button", { name: "Answer…" }).click();
    await input().fill("me");
    await page.keyboard.press("Enter");
    await until("the answer", () => existsSync(join(folder, "answer")) && readFileSync(join(folder, "answer"), "utf8") === "got me\n");
  });
});
