import { setTimeout as pause } from 'node:timers/promises';

/** Timers can fire a little early. */
const timerPrecisionMs = 2;

/**
 * Tells a refresh that ran at the same moment as the one that won from reuse of a spent token. The winner's answer waits for a moment;
 * whatever arrives before that moment is over was sent by somebody who cannot have seen the answer, and is only refused. Whatever
 * arrives later may have come because of it, and is reuse. Without the wait the two could not be told apart: on a busy machine the
 * second of two requests sent at once often arrives after the first has been done.
 */
export class RefreshOverlap {
  constructor(readonly milliseconds: number) {}

  /** Called by the winner between committing and answering. It holds nothing meanwhile. */
  async beforeAnswering(): Promise<void> {
    await pause(this.milliseconds + timerPrecisionMs);
  }
}
