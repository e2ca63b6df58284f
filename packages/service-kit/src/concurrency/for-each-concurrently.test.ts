import { forEachConcurrently } from './for-each-concurrently';

class Gate {
  resolve: () => void = () => undefined;
  reject: (error: Error) => void = () => undefined;
  readonly open = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

it('starts nothing after a failure, and rejects once all running work has ended', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const gates = Array.from({ length: 10 }, () => new Gate());
  let settled = false;
  const whole = forEachConcurrently(gates.keys(), 3, async (n) => {
    begun.push(n);
    await gates[n]?.open;
    ended.push(n);
  });
  void whole.catch(() => undefined).finally(() => (settled = true));
  gates[1]?.reject(new Error('of the second'));
  gates[0]?.resolve();
  await new Promise(setImmediate);
  expect([begun, settled]).toEqual([[0, 1, 2], false]);
  gates[2]?.resolve();
  await expect(whole).rejects.toThrow('of the second');
  expect([begun, ended]).toEqual([
    [0, 1, 2],
    [0, 2],
  ]);
});
