// When a sidecar that crashed is started again, and when that is given up.

const delays = [500, 1000, 2000, 4000, 8000];
const crashWindowMs = 3 * 60_000;
const healthyMs = 60_000;

export interface Clock {
  now(): number;
  /** from 0 to 1, as Math.random */
  random(): number;
}

export const systemClock: Clock = { now: () => performance.now(), random: Math.random };

/** At most five restarts in three minutes, each later than the one before. */
export class RestartPolicy {
  private crashes: number[] = [];
  private readySince: number | undefined;

  constructor(private readonly clock: Clock = systemClock) {}

  /** The sidecar has answered initialize. */
  ready(): void {
    this.readySince = this.clock.now();
  }

  /** How many milliseconds to wait before the next start; undefined: give up. */
  crashed(): number | undefined {
    const now = this.clock.now();
    if (this.readySince !== undefined && now - this.readySince >= healthyMs) this.crashes = [];
    this.readySince = undefined;
    this.crashes = this.crashes.filter((at) => now - at < crashWindowMs);
    const delay = delays[this.crashes.length];
    if (delay === undefined) return undefined;
    this.crashes.push(now);
    // Several windows whose sidecars died together must not come back together.
    return Math.round(delay * (0.8 + 0.4 * this.clock.random()));
  }

  /** A person asked for a restart. */
  reset(): void {
    this.crashes = [];
    this.readySince = undefined;
  }
}
