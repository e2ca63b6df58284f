import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../random';
import type { ChaosSuite } from '../suite/chaos-suite';

export interface FaultContext {
  suite: ChaosSuite;
  random: Random;
  /** Of a user whose record nothing else uses. */
  accessToken: string;
  seconds: number;
  /** Ends the fault before its time. */
  signal: AbortSignal;
  /** Tells what could not be done, or did not happen. */
  note(text: string): void;
}

export interface Fault {
  /** For `--only` and the table. */
  name: string;
  /** Collections that are under way during the fault; a few when not given. */
  collections?: number;
  /** Whether it needs a volume that can be filled. */
  needsVolume?: boolean;
  /** Injects the fault, and resolves when it has ended; when the signal is given, soon, with everything put right. */
  inject(context: FaultContext): Promise<void>;
}

/** Waits, or until the signal. */
export async function during(seconds: number, signal: AbortSignal): Promise<void> {
  await pause(seconds * 1000, undefined, { signal }).catch(() => undefined);
}
