// Keeps one sidecar: starts it when it is needed, and again when it has crashed.

import type { Client } from "./client.js";
import type { RestartPolicy } from "./restart.js";
import { StartError } from "./start-error.js";

export type State =
  | { kind: "stopped" }
  | { kind: "starting" }
  | { kind: "ready"; client: Client }
  | { kind: "waiting"; delayMs: number; reason: string }
  | { kind: "failed"; message: string };

export interface SessionEvents {
  state(state: State): void;
  /** The sidecar crashed and comes back, or (if final) does not. */
  trouble(message: string, final: boolean): void;
}

export class Session {
  private current: State = { kind: "stopped" };
  private coming: Promise<Client> | undefined;
  private wake: (() => void) | undefined;
  /** counts starts that were asked for: what an older one brings is not wanted any more */
  private turn = 0;
  /** have commands that run, and get no more */
  private readonly retired = new Set<Client>();

  constructor(
    private readonly launch: () => Promise<Client>,
    private readonly policy: RestartPolicy,
    private readonly events: SessionEvents,
  ) {}

  get state(): State {
    return this.current;
  }

  /** The sidecar, once it is ready; rejects with one sentence if there is none. */
  get(): Promise<Client> {
    if (this.current.kind === "ready") return Promise.resolve(this.current.client);
    if (this.current.kind === "failed") return Promise.reject(new Error(this.current.message));
    return (this.coming ??= this.start(this.turn));
  }

  /** A person asked for it: counters are reset, commands are ended. */
  async restart(): Promise<Client> {
    this.policy.reset();
    const old = this.drop({ kind: "starting" });
    const { turn } = this;
    await this.end(old);
    // Stopped or restarted once more meanwhile: that is the newer wish.
    return turn === this.turn ? this.get() : this.superseded(new Error("pillion was stopped while it restarted"));
  }

  /** Other settings are for commands to come: those that run keep their sidecar until they have ended. */
  async replace(): Promise<void> {
    const old = this.drop({ kind: "starting" });
    if (old) void this.retire(old);
    await this.get();
  }

  async stop(): Promise<void> {
    await this.end(this.drop());
  }

  private async retire(old: Client): Promise<void> {
    this.retired.add(old);
    await Promise.allSettled([...old.runs].map((run) => run.ended));
    await old.stop();
    this.retired.delete(old);
  }

  private async end(old: Client | undefined): Promise<void> {
    await Promise.all([...this.retired, ...old ? [old] : []].map((client) => client.stop()));
  }

  private drop(next: State = { kind: "stopped" }): Client | undefined {
    const old = this.current.kind === "ready" ? this.current.client : undefined;
    this.turn++;
    this.coming = undefined;
    this.wake?.();
    this.set(next);
    return old;
  }

  private async start(turn: number): Promise<Client> {
    for (;;) {
      this.set({ kind: "starting" }, turn);
      try {
        const client = await this.launch();
        if (turn !== this.turn) {
          void client.stop();
          throw new Error("pillion was stopped while it started");
        }
        this.policy.ready();
        this.set({ kind: "ready", client });
        this.coming = undefined;
        void client.closed.then((how) => this.gone(turn, client, how));
        return client;
      } catch (error) {
        if (turn === this.turn) await this.again(turn, error);
        if (turn !== this.turn) return this.superseded(error);
      }
    }
  }

  /** A wait for a start that a newer one replaced goes on for that one. */
  private superseded(error: unknown): Promise<Client> {
    if (this.current.kind === "stopped") throw error;
    return this.get();
  }

  /** Waits for the next try, or throws if there is none. */
  private async again(turn: number, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const crash = error instanceof StartError && error.crash;
    const delayMs = crash ? this.policy.crashed() : undefined;
    if (delayMs !== undefined) return this.wait(turn, delayMs, message);
    throw this.fail(crash ? givenUp(message) : message);
  }

  private async wait(turn: number, delayMs: number, reason: string): Promise<void> {
    this.set({ kind: "waiting", delayMs, reason }, turn);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      this.wake = () => { clearTimeout(timer); resolve(); };
    });
    this.wake = undefined;
  }

  private fail(message: string): Error {
    this.coming = undefined;
    this.set({ kind: "failed", message });
    this.events.trouble(message, true);
    return new Error(message);
  }

  private gone(turn: number, client: Client, how: string): void {
    if (turn !== this.turn || this.current.kind !== "ready" || this.current.client !== client) return;
    const delayMs = this.policy.crashed();
    if (delayMs === undefined) {
      this.fail(givenUp(`pillion ${how}`));
      return;
    }
    this.events.trouble(`pillion ${how}; it is started again`, false);
    this.coming = this.wait(turn, delayMs, how).then(() => (turn === this.turn ? this.start(turn) : this.superseded(new Error("pillion was stopped"))));
    this.coming.catch(() => {}); // those who need the sidecar ask for it and get the error
  }

  private set(state: State, turn = this.turn): void {
    if (turn !== this.turn) return;
    this.current = state;
    this.events.state(state);
  }
}

const givenUp = (what: string) =>
  `${what}, and was started again five times in three minutes: see "pillion: Show Output", then choose "pillion: Restart Server".`;
