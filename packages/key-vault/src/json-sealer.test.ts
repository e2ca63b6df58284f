import fc from 'fast-check';
import { JsonSealer } from './json-sealer';
import { UnsealingError } from './sealing';

const options = { secret: 'a secret of the service', use: 'tests', deflateFromBytes: 100, maxBytes: 1_000_000 };

it('opens short and long tokens of a replica with the same secret', () => {
  const [one, other] = [new JsonSealer(options), new JsonSealer(options)];
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, associatedData) => {
      const token = one.sealToken(value, associatedData);
      expect(token).toMatch(/^[\w-]+$/);
      expect(other.openToken(token, associatedData)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('compresses long texts', () => {
  expect(new JsonSealer(options).seal({ text: 'long '.repeat(1000) }, '').length).toBeLessThan(200);
});

it('opens no altered token and no token of another secret, purpose or associated data', () => {
  const token = new JsonSealer(options).sealToken({ page: 1 }, 'user 1');
  const open =
    (changes: Partial<typeof options>, text = token, associatedData = 'user 1') =>
    () =>
      new JsonSealer({ ...options, ...changes }).openToken(text, associatedData);
  expect(open({})()).toEqual({ page: 1 });
  const altered = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
  for (const refused of [
    open({ secret: 'another secret' }),
    open({ use: 'another use' }),
    open({}, token, 'user 2'),
    open({}, altered),
    open({}, `${token}=`),
    open({}, `${token.slice(0, 20)} ${token.slice(20)}`),
    open({}, ''),
  ])
    expect(refused).toThrow(UnsealingError);
});

it('opens tokens of every accepted secret, and seals with the current one', () => {
  const secret = { current: 'first', accepted: ['first'] };
  const rotating = new JsonSealer({ ...options, secret });
  const [first, second] = ['first', 'second'].map((text) => new JsonSealer({ ...options, secret: text }));
  const before = rotating.sealToken({ page: 1 }, 'user 1');
  secret.accepted = ['first', 'second'];
  expect(rotating.openToken(second!.sealToken({ page: 2 }, 'user 1'), 'user 1')).toEqual({ page: 2 });
  expect(first!.openToken(rotating.sealToken({ page: 3 }, 'user 1'), 'user 1')).toEqual({ page: 3 });
  secret.current = 'second';
  expect(second!.openToken(rotating.sealToken({ page: 4 }, 'user 1'), 'user 1')).toEqual({ page: 4 });
  expect(rotating.openToken(before, 'user 1')).toEqual({ page: 1 });
  secret.accepted = ['second'];
  expect(() => rotating.openToken(before, 'user 1')).toThrow(UnsealingError);
});
