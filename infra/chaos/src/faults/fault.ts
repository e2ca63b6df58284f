import type { Random } from '@tributary/test-environment';
import type { ChaosSuite } from '../suite/chaos-suite';

export interface FaultContext {
  suite: ChaosSuite;
  random: Random;
  /** The access token of a user outside the load. */
  accessToken: string;
  seconds: number;
  /** Ends the fault early. */
  signal: AbortSignal;
  /** Adds a note to the report, such as a part of the fault that could not be injected. */
  note(text: string): void;
}

export interface Fault {
  /** The name for `--only` and in the table. */
  name: string;
  /** The number of collections during the fault; a few by default. */
  collections?: number;
  /** Whether the fault needs a volume that can be filled. */
  needsVolume?: boolean;
  /**
   * Injects the fault and resolves when it has ended. When the signal is aborted, it reverts the fault and resolves
   * soon.
   */
  inject(context: FaultContext): Promise<void>;
}
