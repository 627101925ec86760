// One command from its request to its end.

import type { ErrorData, ExecResult, GapEvent, OutputEvent, StartedEvent, TerminalSize, ViolationEvent, WaitingParams } from "../../protocol/protocol.js";

/** It waits for input. */
export type WaitingEvent = WaitingParams & { type: "waiting" };

export type RunEvent = StartedEvent | OutputEvent | GapEvent | ViolationEvent | WaitingEvent;

/** The server's word that nothing was started. */
export interface Refusal {
  kind: "refused";
  code: number;
  message: string;
  /** Without a kind it is the client's own. */
  data: Partial<ErrorData> & Record<string, unknown>;
}

/** How a run ended. Interrupted: the sidecar is gone, and all that is known of the command is that it was ended, too. */
export type Outcome = { kind: "result"; result: ExecResult } | Refusal | { kind: "interrupted"; how: string };

/** Takes an event; the promise says when it has been taken care of, and holds up the ones after it. */
export type Listener = (event: RunEvent) => void | Promise<void>;

/** What a run needs of the connection. */
export interface Wire {
  request(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): void;
}

/** Half of the server's window: acknowledged at the latest when that much has come. */
const ackEvery = 65_536;

export class Run {
  started: StartedEvent | undefined;
  private consumed = 0;
  private acked = 0;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    readonly execId: string,
    private readonly wire: Wire,
    private readonly listener: Listener,
    readonly ended: Promise<Outcome>,
  ) {}

  /** An event from the server; they reach the listener one after the other. */
  receive(event: RunEvent): void {
    if (event.type === "started") this.started = event;
    this.turn = this.turn.then(() => this.listener(event)).catch(() => {}).then(() => {
      if (event.type === "output") this.acknowledge(event.length);
    });
  }

  /** All events that have come have been taken care of. */
  drained(): Promise<void> {
    return this.turn;
  }

  private acknowledge(length: number): void {
    this.consumed += length;
    if (this.consumed - this.acked < ackEvery) return;
    this.acked = this.consumed;
    this.wire.notify("exec/ack", { execId: this.execId, consumed: this.consumed });
  }

  write(text: string): Promise<void> {
    return this.ask("exec/write", { text });
  }

  closeInput(): Promise<void> {
    return this.ask("exec/write", { close: true });
  }

  resize(size: TerminalSize): Promise<void> {
    return this.ask("exec/resize", { size });
  }

  cancel(force = false): Promise<void> {
    return this.ask("exec/cancel", force ? { force } : {});
  }

  /** What a person does to a run may come after its end, and is not a mistake then. */
  private async ask(method: string, params: object): Promise<void> {
    try {
      await this.wire.request(method, { execId: this.execId, ...params });
    } catch {
      // the run's own outcome says what happened
    }
  }
}
