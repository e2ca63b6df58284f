import type { Fault } from './fault';
import { pause } from '../pause';

const refillMs = 200;

/** Fills the volume of PostgreSQL, Redis and the logs. */
export const fullDisk: Fault = {
  name: 'full-disk',
  needsVolume: true,
  async inject({ suite: { volume }, seconds, signal, note }) {
    if (typeof volume === 'string') return note(`not possible here: ${volume}`);
    const end = performance.now() + seconds * 1000;
    try {
      while (performance.now() < end && !signal.aborted) {
        volume.fill();
        await pause(refillMs, signal);
      }
    } finally {
      volume.empty();
    }
  },
};
