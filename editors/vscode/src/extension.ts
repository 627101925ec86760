// The extension of VS Code: puts its parts together.

import * as vscode from "vscode";

import { Approvals } from "./approvals.js";
import { Client } from "./client.js";
import { Commands, type RunArgs } from "./commands.js";
import { initializationOptions, server, trace } from "./config.js";
import { Doctor } from "./doctor.js";
import { changes, folders, onWire } from "./folders.js";
import { RunTool } from "./lmtool.js";
import { Log } from "./log.js";
import { provideMcp } from "./mcp.js";
import { menu } from "./menu.js";
import { isPolicy, PolicyFiles } from "./policy.js";
import { offer } from "./ports.js";
import { RestartPolicy } from "./restart.js";
import { Runner } from "./runner.js";
import { locate } from "./server-locator.js";
import { Session } from "./session.js";
import { inSettings } from "./start-error.js";
import { Status } from "./status.js";
import { Tasks } from "./tasks.js";
import { unlinked } from "./text.js";
import { Undo } from "./undo.js";
import { version } from "./version.js";

let session: Session | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = new Log();
  const approvals = new Approvals();
  const own = context.extension.packageJSON as { version: string };

  const launch = async (): Promise<Client> => {
    const settings = server(context.extensionPath);
    const open = folders();
    const found = await locate(settings.places);
    log.write(3, `starting ${found.path} (${found.from}), version ${found.version}`);
    const client: Client = await Client.start({
      path: found.path, args: settings.args, env: settings.env,
      clientInfo: { name: "vscode", version: vscode.version },
      folders: onWire(open), trace: trace(), initializationOptions: initializationOptions(),
    }, {
      approve: (params, token) => approvals.ask(params, token),
      log: (type, message) => log.write(type, message),
      show: (type, message) => { log.write(type, message); show(type, inSettings(message)); },
      trace: (message, verbose) => log.trace(message, verbose),
      port: (params) => void offer(client, params),
    });
    const meanwhile = changes(open, folders());
    if (meanwhile.added.length + meanwhile.removed.length > 0) client.foldersChanged(meanwhile);
    log.write(3, `pillion ${client.info.serverInfo.version} is ready, process ${client.pid}`);
    return client;
  };

  const current = session = new Session(launch, new RestartPolicy(), {
    state: (state) => status?.update(state),
    trouble: (message, final) => {
      log.write(final ? 1 : 2, message);
      if (final) void failed(message);
    },
  });
  const runner = new Runner(current);
  const status: Status | undefined = new Status(runner);
  const commands = new Commands(runner);
  const doctor = new Doctor(context.extensionPath);

  const command = (name: string, run: (...args: never[]) => unknown) => vscode.commands.registerCommand(`pillion.${name}`, run);
  context.subscriptions.push(
    log.channel, approvals, runner, status, runner.onDidChange(() => status.draw()),
    command("run", (args?: RunArgs) => commands.run(args)),
    command("runSelection", () => commands.runSelection()),
    command("rerun", () => commands.rerun()),
    command("cancel", () => commands.cancel()),
    command("showOutput", () => log.channel.show()),
    command("restart", () => restart(current, runner)),
    command("doctor", () => doctor.show()),
    command("showVersion", () => version(current, own.version)),
    command("menu", () => menu(current)),
    ...new Undo(current).register(),
    new PolicyFiles(context.extensionPath, (message) => log.write(2, message)),
    vscode.workspace.registerTextDocumentContentProvider("pillion", doctor),
    vscode.tasks.registerTaskProvider("pillion", new Tasks(runner)),
    vscode.lm.registerTool("pillion_run", new RunTool(current, runner)),
    vscode.window.onDidCloseTerminal((terminal) => commands.closed(terminal)),
    vscode.workspace.onDidChangeConfiguration((e) => void configured(e, current)),
    vscode.workspace.onDidSaveTextDocument((document) => {
      // Also where it is why nothing could start.
      if (isPolicy(document) && current.state.kind !== "stopped") void current.replace().catch(() => {});
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      if (current.state.kind === "ready") current.state.client.foldersChanged({ added: onWire(added), removed: onWire(removed) });
    }),
  );
  const mcp = provideMcp(context.extensionPath, (message) => log.write(3, message));
  if (mcp) context.subscriptions.push(mcp);
  // Before the first command, so that this one is as quick as the others.
  if (folders().length > 0) current.get().catch(() => {});
}

export const deactivate = (): Promise<void> | undefined => session?.stop();

function show(type: number, message: string): void {
  const text = unlinked(message);
  if (type <= 1) void vscode.window.showErrorMessage(text);
  else if (type === 2) void vscode.window.showWarningMessage(text);
  else void vscode.window.showInformationMessage(text);
}

async function failed(message: string): Promise<void> {
  const buttons = { "Open Settings": ["workbench.action.openSettings", "pillion."], "Show Log": ["pillion.showOutput"], Restart: ["pillion.restart"] };
  const pressed = await vscode.window.showErrorMessage(unlinked(message), ...Object.keys(buttons));
  const [command, ...args] = buttons[pressed as keyof typeof buttons] ?? [];
  if (command) await vscode.commands.executeCommand(command, ...args);
}

async function restart(session: Session, runner: Runner): Promise<void> {
  const running = runner.active.size;
  const sure = "End Them and Restart";
  if (running > 0 && await vscode.window.showWarningMessage(`pillion: ${running} running command(s) will be ended.`, { modal: true }, sure) !== sure) return;
  await session.restart().catch(() => {}); // the status and a message say why
}

async function configured(e: vscode.ConfigurationChangeEvent, session: Session): Promise<void> {
  if (!e.affectsConfiguration("pillion")) return;
  if (e.affectsConfiguration("pillion.trace.server") && session.state.kind === "ready") session.state.client.setTrace(trace());
  const others = ["server", "profile", "sandbox", "policy", "limits", "timeout"];
  if (session.state.kind === "stopped" || !others.some((key) => e.affectsConfiguration(`pillion.${key}`))) return;
  await session.replace().catch(() => {});
}
