import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { HostRequestLimiter } from './host-request-limiter';

const { signal } = new AbortController();
setMaxListeners(0, signal);

/** Requests that record their order and concurrency. */
function gauge(): { running: number; most: number; order: string[]; work: (name: string) => () => Promise<void> } {
  const seen = {
    running: 0,
    most: 0,
    order: [] as string[],
    work: (name: string) => async () => {
      seen.order.push(name);
      seen.most = Math.max(seen.most, ++seen.running);
      await setImmediate();
      seen.running--;
    },
  };
  return seen;
}

describe('HostRequestLimiter', () => {
  it('limits the requests of a host, first in first out, also when requests fail', async () => {
    const limiter = new HostRequestLimiter({ perHost: 3, overall: 100 });
    const seen = gauge();
    const failing = async (): Promise<void> => {
      await seen.work('failing')();
      throw new Error('failed');
    };
    const runs = Array.from({ length: 30 }, (_x, index) =>
      limiter.run('a', 'one', signal, index % 5 === 0 ? failing : seen.work(`${index}`)),
    );
    await Promise.allSettled(runs);
    expect(seen.most).toBe(3);
    expect(seen.order.filter((name) => name !== 'failing').map(Number)).toEqual(
      Array.from({ length: 30 }, (_x, index) => index).filter((index) => index % 5 !== 0),
    );
    await expect(limiter.run('a', 'one', signal, () => Promise.resolve('free again'))).resolves.toBe('free again');
  });

  it('limits the requests of all hosts together', async () => {
    const limiter = new HostRequestLimiter({ perHost: 6, overall: 4 });
    const seen = gauge();
    await Promise.all(
      Array.from({ length: 40 }, (_x, index) => limiter.run(`host ${index % 7}`, 'one', signal, seen.work(''))),
    );
    expect(seen.most).toBe(4);
  });

  it('does not let one host block another', async () => {
    const limiter = new HostRequestLimiter({ perHost: 1, overall: 2 });
    void limiter.run('slow', 'one', signal, () => new Promise(() => undefined));
    void limiter.run('slow', 'one', signal, () => new Promise(() => undefined));
    await expect(limiter.run('quick', 'two', signal, () => Promise.resolve(1))).resolves.toBe(1);
  });

  it('serves the connections of a host round-robin', async () => {
    const limiter = new HostRequestLimiter({ perHost: 1, overall: 10 });
    const seen = gauge();
    const large = Array.from({ length: 20 }, () => limiter.run('a', 'large', signal, seen.work('large')));
    const small = Array.from({ length: 2 }, () => limiter.run('a', 'small', signal, seen.work('small')));
    await Promise.all([...large, ...small]);
    expect(seen.order.lastIndexOf('small')).toBeLessThanOrEqual(4);
  });

  it('halves the cap of a host that throttles, and raises it as it responds', async () => {
    const limiter = new HostRequestLimiter({ perHost: 4, overall: 10 });
    limiter.reportThrottled('a');
    limiter.reportThrottled('a');
    const seen = gauge();
    await Promise.all(Array.from({ length: 8 }, () => limiter.run('a', 'one', signal, seen.work(''))));
    expect(seen.most).toBe(1);
    for (let answer = 0; answer < 30; answer++) limiter.reportSuccess('a');
    await Promise.all(Array.from({ length: 8 }, () => limiter.run('a', 'one', signal, seen.work(''))));
    expect(seen.most).toBe(4);
  });

  it('rejects a waiting request when its signal is aborted, and serves the others', async () => {
    const limiter = new HostRequestLimiter({ perHost: 1, overall: 10 });
    const abort = new AbortController();
    let finish = (): void => undefined;
    const running = limiter.run('a', 'one', signal, () => new Promise<void>((resolve) => (finish = resolve)));
    const aborted = limiter.run('a', 'one', abort.signal, () => Promise.resolve('started'));
    const waiting = limiter.run('a', 'one', signal, () => Promise.resolve('started'));
    abort.abort(new Error('aborted'));
    await expect(aborted).rejects.toThrow('aborted');
    finish();
    await running;
    await expect(waiting).resolves.toBe('started');
    await expect(limiter.run('a', 'two', abort.signal, () => Promise.resolve())).rejects.toThrow('aborted');
  });
});
