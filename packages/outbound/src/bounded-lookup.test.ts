import type { LookupAddress } from 'node:dns';
import { boundedLookup } from './bounded-lookup';

type Callback = (error: Error | null, addresses: LookupAddress[]) => void;

/** The lookups that the resolver has begun and not answered. */
const begun: { name: string; answer: Callback }[] = [];
jest.mock('node:dns', () => ({
  lookup: (name: string, _options: object, answer: Callback) => void begun.push({ name, answer }),
}));

const addresses: LookupAddress[] = [{ address: '192.0.2.1', family: 4 }];

describe('boundedLookup', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => {
    for (const { answer } of begun.splice(0)) answer(null, addresses);
    jest.useRealTimers();
  });

  const ended: [string, unknown][] = [];
  beforeEach(() => void ended.splice(0));
  const resolve = (name: string): void =>
    boundedLookup(name, {}, (error, found) => ended.push([name, (error as { code?: string } | null)?.code ?? found]));

  it('ends after ten seconds without a response, which is ignored later', () => {
    resolve('silent.example');
    jest.advanceTimersByTime(9_999);
    expect(ended).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(ended).toEqual([['silent.example', 'ETIMEDOUT']]);
    begun.shift()?.answer(null, addresses);
    expect(ended).toHaveLength(1);
  });

  it('runs four at once, and begins none whose time has passed', () => {
    for (const name of ['a', 'b', 'c', 'd', 'late']) resolve(name);
    expect(begun.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
    jest.advanceTimersByTime(10_000);
    expect(ended).toHaveLength(5);
    resolve('e');
    resolve('f');
    expect(begun).toHaveLength(4);
    begun.shift()?.answer(null, addresses);
    expect(begun.map(({ name }) => name)).toEqual(['b', 'c', 'd', 'e']);
    begun.pop()?.answer(null, addresses);
    expect(begun.map(({ name }) => name)).toEqual(['b', 'c', 'd', 'f']);
    expect(ended.at(-1)).toEqual(['e', addresses]);
  });

  it('passes the error of the resolver on', () => {
    resolve('unknown.example');
    begun.shift()?.answer(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
    expect(ended).toEqual([['unknown.example', 'ENOTFOUND']]);
  });
});
