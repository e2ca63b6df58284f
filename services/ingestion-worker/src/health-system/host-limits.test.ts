import { setTimeout as pause } from 'node:timers/promises';
import { HostLimits } from './host-limits';

describe('HostLimits', () => {
  it('holds the cap for each host by itself, in order, also when work fails', async () => {
    const limits = new HostLimits(3);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const work = (index: number) => async (): Promise<void> => {
      order.push(index);
      most = Math.max(most, ++running);
      await pause(2);
      running--;
      if (index % 5 === 0) throw new Error('failed');
    };
    await Promise.allSettled(Array.from({ length: 30 }, (_x, index) => limits.run('a', work(index))));
    expect(most).toBe(3);
    expect(order).toEqual(Array.from({ length: 30 }, (_x, index) => index));
    await expect(limits.run('a', () => Promise.resolve('free again'))).resolves.toBe('free again');
  });

  it('does not let one host hold up another', async () => {
    const limits = new HostLimits(1);
    const stuck = limits.run('slow', () => new Promise(() => undefined));
    await expect(limits.run('quick', () => Promise.resolve(1))).resolves.toBe(1);
    void stuck;
  });
});
