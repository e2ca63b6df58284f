import { setTimeout as pause } from 'node:timers/promises';
import { InternalCallError } from '@tributary/contracts';

/** Makes a call to one of our own services, and again while the service is away. */
export type Patiently = <T>(call: () => Promise<T>) => Promise<T>;

export interface OwnPatience {
  /** How long a service may be away before the collection is put off. */
  forMs: number;
  firstPauseMs: number;
}

export const ordinaryOwnPatience: OwnPatience = { forMs: 120_000, firstPauseMs: 500 };

/** Our services start within seconds: with longer pauses a collection would stand still after they are back. */
const longestPauseMs = 2000;
const passing = new Set([0, 429, 502, 503, 504]);

/** Whether a call to one of our own services failed in a way that passes by itself. */
export function isPassing(error: unknown): boolean {
  return error instanceof InternalCallError && passing.has(error.status) && error.errorCode !== 'unexpected_response';
}

/** Rides out restarts of the services in place, so that a collection need not begin a new attempt for them. */
export function patiently({ forMs, firstPauseMs }: OwnPatience, signal: AbortSignal): Patiently {
  return async (call) => {
    const until = Date.now() + forMs;
    for (let attempt = 0; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        signal.throwIfAborted();
        if (!isPassing(error) || Date.now() >= until) throw error;
        await pause(Math.min(firstPauseMs * 2 ** attempt, longestPauseMs) * (0.5 + Math.random()), undefined, {
          signal,
        });
      }
    }
  };
}
