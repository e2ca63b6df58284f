import { type Fault, during } from './fault';

const refillSeconds = 0.2;

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
        await during(refillSeconds, signal);
      }
    } finally {
      volume.empty();
    }
  },
};
