// One sidecar process and the connection to it. Nothing here knows of VS Code.

import { createInterface } from "node:readline";

import {
  createMessageConnection, ProgressType, ResponseError, StreamMessageReader, StreamMessageWriter,
  type CancellationToken, type MessageConnection,
} from "vscode-jsonrpc/node";

import { protocolVersion } from "../../protocol/protocol.js";
import type { AccessGrant,
  ApprovalParams, ApprovalResult, CheckResult, ClientInfo, EffectsResult, ExecParams, ExplainResult,
  FoldersEvent, ForwardResult, InitializationOptions, InitializeResult, LogMessageParams, LogTraceParams, PortParams, UndoListResult,
  UndoParams, UndoResult, WaitingParams, WorkspaceFolder,
} from "../../protocol/protocol.js";
import { ended, inTime, startChild, usage, type Child } from "./child.js";
import { Run, type Listener, type Outcome, type Refusal, type RunEvent } from "./run.js";
import { answered, disposed, refusedInitialize, StartError, wrongProtocol } from "./start-error.js";

export interface Handlers {
  /** Asks a person. The token is cancelled when the question needs no answer any more. */
  approve(params: ApprovalParams, token: CancellationToken): Promise<ApprovalResult>;
  /** A line for the log; type as in LSP: 1 error … 4 log. */
  log(type: number, message: string): void;
  /** A sentence for the person. */
  show(type: number, message: string): void;
  trace(message: string, verbose?: string): void;
  /** A command listens on a port of its own, or has ceased to. */
  port?(params: PortParams): void;
}

export interface ClientOptions {
  path: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  clientInfo: ClientInfo;
  folders: WorkspaceFolder[];
  trace: string;
  initializationOptions: InitializationOptions;
}

export class Client {
  info!: InitializeResult;
  readonly runs = new Set<Run>();
  /** How it ended, when it has. */
  readonly closed: Promise<string>;
  private how: string | undefined;
  private readonly conn: MessageConnection;
  private next = 0;

  private constructor(private readonly child: Child, handlers: Handlers) {
    this.conn = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin), quiet);
    createInterface(child.stderr).on("line", (line) => handlers.log(3, line));
    this.closed = ended(child).then((how) => {
      this.how = how;
      // Requests that wait are not settled by the library when the server is gone.
      this.conn.dispose();
      return how;
    });
    this.serve(handlers);
    this.conn.listen();
  }

  static async start(options: ClientOptions, handlers: Handlers): Promise<Client> {
    const child = await startChild(options.path, ["serve", ...options.args], options.env);
    const client = new Client(child, handlers);
    await client.initialize(options);
    return client;
  }

  get pid(): number {
    return this.child.pid!;
  }

  private async initialize(options: ClientOptions): Promise<void> {
    try {
      this.info = await inTime(this.child, this.conn.sendRequest<InitializeResult>("initialize", {
        processId: process.pid,
        clientInfo: options.clientInfo,
        workspaceFolders: options.folders,
        trace: options.trace,
        capabilities: {
          workspace: { workspaceFolders: true },
          window: { showMessage: {} },
          exec: { approval: true, grants: true, ack: true, events: ["violation", "waiting", "port"] },
        },
        initializationOptions: { ...options.initializationOptions, protocolVersion },
      }));
    } catch (error) {
      throw await this.noStart(error);
    }
    if (this.info.protocolVersion !== protocolVersion) {
      throw await this.abandoned(wrongProtocol(this.info.protocolVersion));
    }
    this.notify("initialized", {});
  }

  private async noStart(error: unknown): Promise<StartError> {
    if (answered(error)) return this.abandoned(refusedInitialize(error));
    const how = await this.closed;
    return new StartError(`pillion ${how} before it answered`, this.child.exitCode !== usage);
  }

  /** It ends when its input does. */
  private async abandoned(message: string): Promise<StartError> {
    this.child.stdin.destroy();
    await this.closed;
    return new StartError(message, false);
  }

  private serve(handlers: Handlers): void {
    this.conn.onRequest("exec/requestApproval", (params: ApprovalParams, token: CancellationToken) => handlers.approve(params, token));
    this.conn.onNotification("exec/waiting", (params: WaitingParams) => {
      for (const run of this.runs) if (run.execId === params.execId) run.receive({ type: "waiting", ...params });
    });
    this.conn.onNotification("exec/port", (params: PortParams) => handlers.port?.(params));
    this.conn.onNotification("window/logMessage", ({ type, message }: LogMessageParams) => handlers.log(type, message));
    this.conn.onNotification("window/showMessage", ({ type, message }: LogMessageParams) => handlers.show(type, message));
    this.conn.onNotification("$/logTrace", ({ message, verbose }: LogTraceParams) => handlers.trace(message, verbose));
    this.conn.onError(([error]) => handlers.log(2, `the connection: ${error.message}`));
  }

  /** Starts a run; its events go to the listener, and `ended` of it never rejects. */
  exec(params: ExecParams, listener: Listener): Run {
    return this.run("exec", (execId) => ({ ...params, execId, partialResultToken: execId }), listener);
  }

  /** A run that has ended runs again, with a person's grants. */
  retry(execId: string, grants: AccessGrant[], listener: Listener): Run {
    return this.run("exec/retry", (id) => ({ execId, grants, newExecId: id, partialResultToken: id }), listener);
  }

  private run(method: string, params: (execId: string) => object, listener: Listener): Run {
    const execId = `vscode-${process.pid}-${++this.next}`;
    const heard = this.conn.onProgress(new ProgressType<RunEvent>(), execId, (event) => run.receive(event));
    const ended = this.outcome(method, params(execId))
      .then(async (outcome) => { await run.drained(); return outcome; })
      .finally(() => { heard.dispose(); this.runs.delete(run); });
    const run: Run = new Run(execId, { request: (m, p) => this.request(m, p), notify: (m, p) => this.notify(m, p) }, listener, ended);
    this.runs.add(run);
    return run;
  }

  private async outcome(method: string, params: object): Promise<Outcome> {
    try {
      return { kind: "result", result: await this.request(method, params) };
    } catch (error) {
      // An answer that was read counts, also if the process ended right after it.
      if (answered(error)) {
        return { kind: "refused", code: error.code, message: error.message, data: (error.data ?? {}) as Refusal["data"] };
      }
      return { kind: "interrupted", how: await this.closed };
    }
  }

  check(checks: ExecParams[]): Promise<CheckResult> {
    return this.request("guard/check", { checks });
  }

  explain(ruleId: string): Promise<ExplainResult> {
    return this.request("guard/explain", { ruleId });
  }

  /** Lets a port out, on 127.0.0.1 of the sidecar's machine, while the command listens. */
  forward(execId: string, port: number): Promise<ForwardResult> {
    return this.request("exec/forward", { execId, port });
  }

  effects(execId: string): Promise<EffectsResult> {
    return this.request("exec/effects", { execId });
  }

  undo(params: UndoParams): Promise<UndoResult> {
    return this.request("exec/undo", params);
  }

  undoable(): Promise<UndoListResult> {
    return this.request("undo/list", {});
  }

  foldersChanged(event: FoldersEvent): void {
    this.notify("workspace/didChangeWorkspaceFolders", { event });
  }

  setTrace(value: string): void {
    this.notify("$/setTrace", { value });
  }

  /** Ends every command and then the sidecar, by force if it takes too long. */
  async stop(withinMs = 5000): Promise<void> {
    const timer = setTimeout(() => this.child.kill("SIGKILL"), withinMs);
    try {
      await this.request("shutdown", undefined);
      this.notify("exit", undefined);
    } catch {
      this.child.stdin.destroy();
    }
    await this.closed;
    clearTimeout(timer);
  }

  private request<T>(method: string, params: object | undefined): Promise<T> {
    if (this.how !== undefined) return Promise.reject(new ResponseError(disposed, "the sidecar is gone"));
    return params === undefined ? this.conn.sendRequest(method) : this.conn.sendRequest(method, params);
  }

  private notify(method: string, params: object | undefined): void {
    if (this.how !== undefined) return;
    const sent = params === undefined ? this.conn.sendNotification(method) : this.conn.sendNotification(method, params);
    sent.catch(() => {}); // those who wait for the sidecar learn that it is gone
  }
}

const quiet = { error() {}, warn() {}, info() {}, log() {} };
