import { setTimeout as pause } from 'node:timers/promises';
import { HostLimits } from './host-limits';

/** Work that notes when it runs, and how much of it runs at once. */
function gauge(): { running: number; most: number; order: string[]; work: (name: string) => () => Promise<void> } {
  const seen = {
    running: 0,
    most: 0,
    order: [] as string[],
    work: (name: string) => async () => {
      seen.order.push(name);
      seen.most = Math.max(seen.most, ++seen.running);
      await pause(1);
      seen.running--;
    },
  };
  return seen;
}

describe('HostLimits', () => {
  it('holds the cap of a host, in order, also when work fails', async () => {
    const limits = new HostLimits({ perHost: 3, overall: 100 });
    const seen = gauge();
    const failing = async (): Promise<void> => {
      await seen.work('failing')();
      throw new Error('failed');
    };
    const runs = Array.from({ length: 30 }, (_x, index) =>
      limits.run('a', 'one', index % 5 === 0 ? failing : seen.work(`${index}`)),
    );
    await Promise.allSettled(runs);
    expect(seen.most).toBe(3);
    expect(seen.order.filter((name) => name !== 'failing').map(Number)).toEqual(
      Array.from({ length: 30 }, (_x, index) => index).filter((index) => index % 5 !== 0),
    );
    await expect(limits.run('a', 'one', () => Promise.resolve('free again'))).resolves.toBe('free again');
  });

  it('holds the cap of all hosts together', async () => {
    const limits = new HostLimits({ perHost: 6, overall: 4 });
    const seen = gauge();
    await Promise.all(Array.from({ length: 40 }, (_x, index) => limits.run(`host ${index % 7}`, 'one', seen.work(''))));
    expect(seen.most).toBe(4);
  });

  it('does not let one host hold up another', async () => {
    const limits = new HostLimits({ perHost: 1, overall: 2 });
    void limits.run('slow', 'one', () => new Promise(() => undefined));
    void limits.run('slow', 'one', () => new Promise(() => undefined));
    await expect(limits.run('quick', 'two', () => Promise.resolve(1))).resolves.toBe(1);
  });

  it('lets the connections of a host take turns', async () => {
    const limits = new HostLimits({ perHost: 1, overall: 10 });
    const seen = gauge();
    const large = Array.from({ length: 20 }, () => limits.run('a', 'large', seen.work('large')));
    const small = Array.from({ length: 2 }, () => limits.run('a', 'small', seen.work('small')));
    await Promise.all([...large, ...small]);
    expect(seen.order.lastIndexOf('small')).toBeLessThanOrEqual(4);
  });

  it('asks less of a host that complains, and more again when it answers', async () => {
    const limits = new HostLimits({ perHost: 4, overall: 10 });
    limits.complained('a');
    limits.complained('a');
    const seen = gauge();
    await Promise.all(Array.from({ length: 8 }, () => limits.run('a', 'one', seen.work(''))));
    expect(seen.most).toBe(1);
    for (let answer = 0; answer < 30; answer++) limits.answered('a');
    await Promise.all(Array.from({ length: 8 }, () => limits.run('a', 'one', seen.work(''))));
    expect(seen.most).toBe(4);
  });
});
