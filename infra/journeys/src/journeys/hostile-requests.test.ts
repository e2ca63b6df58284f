import fc from 'fast-check';
import { type Example, OwnValues, documentOf, examplesOf, publicDocuments, sendWith } from '../suite/api-examples';
import { readySuite } from '../suite/ready';
import { releases } from '../suite/sample-resources';
import { newClient } from '../suite/users';

const ready = readySuite();

/**
 * One round is 25 requests to each API. `FUZZ_ROUNDS=240 FUZZ_SEED=1` sends more of them, and others, for a quarter of
 * an hour; the same seed sends the same requests.
 */
const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 1);
const firstSeed = Number(process.env['FUZZ_SEED'] ?? 20_261_128);
const requestsOfRound = 25;
const concurrency = 4;

const hostileTexts = [
  '',
  ' ',
  '\0',
  '\r\n',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '%00',
  '%',
  `'; DROP TABLE users; --`,
  '${7*7}',
  '<script>',
  '\u202E',
  '\uFFFE',
  '𝒳',
  '\uD800',
  'é'.normalize('NFD'),
  '2024-02-30',
  '0000-00-00',
  '9999-12-31T23:59:60Z',
  'ge2024',
  '-0',
  '1e400',
  '0x10',
  '١٢',
  'NaN',
  'x'.repeat(300),
  'x'.repeat(5000),
  '('.repeat(200),
  'Patient?_has:'.repeat(30),
  ','.repeat(500),
  '|',
  '\\|',
  '$',
];
const hostile: unknown[] = [
  ...hostileTexts,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  -1e308,
  true,
  false,
  null,
  [],
  {},
  [[]],
  { $ref: '#' },
  [null],
  { '': '' },
];
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostile) },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);
const queryNames = [
  '_count',
  '_sort',
  '_include',
  '_has:Observation:patient:code',
  '_format',
  '_since',
  '_page',
  'date',
];
const headerNames = [
  'Accept',
  'Content-Type',
  'Prefer',
  'If-Match',
  'If-None-Match',
  'If-None-Exist',
  'Range',
  'Cookie',
];

type Change = { value: unknown } & (
  | { kind: 'parameter'; at: number }
  | { kind: 'query' | 'header'; name: string }
  | { kind: 'body'; path: number[]; isRemoved: boolean }
  | { kind: 'text' }
);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('parameter' as const), at: fc.nat(20), value }),
  fc.record({ kind: fc.constant('query' as const), name: fc.constantFrom(...queryNames), value }),
  fc.record({ kind: fc.constant('header' as const), name: fc.constantFrom(...headerNames), value }),
  fc.record({
    kind: fc.constant('body' as const),
    path: fc.array(fc.nat(9), { maxLength: 6 }),
    isRemoved: fc.boolean(),
    value,
  }),
  fc.record({ kind: fc.constant('text' as const), value }),
);

/** A copy with another value at the end of a path, whose steps choose among the members at each level. */
function changed(content: unknown, [step, ...path]: readonly number[], isRemoved: boolean, by: unknown): unknown {
  if (typeof content !== 'object' || content === null || step === undefined) return by;
  const members = Object.entries(content);
  if (members.length === 0) return by;
  const at = step % members.length;
  const result = members.flatMap(([name, member], index) =>
    index !== at
      ? [[name, member] as const]
      : isRemoved && path.length === 0
        ? []
        : [[name, changed(member, path, isRemoved, by)] as const],
  );
  return Array.isArray(content) ? result.map(([, member]) => member) : Object.fromEntries(result);
}

function withChange(example: Example, change: Change): Example {
  const { parameters } = example;
  const text =
    typeof change.value === 'string'
      ? change.value.replaceAll(/\p{Surrogate}/gu, '\uFFFD')
      : (JSON.stringify(change.value) ?? '');
  switch (change.kind) {
    case 'parameter': {
      const at = change.at % Math.max(1, parameters.length);
      return {
        ...example,
        parameters: parameters.map((each, index) => (index === at ? { ...each, example: safe(each.in, text) } : each)),
      };
    }
    case 'query':
    case 'header':
      return {
        ...example,
        parameters: [...parameters, { name: change.name, in: change.kind, example: safe(change.kind, text) }],
      };
    case 'body':
      return example.body === undefined
        ? example
        : { ...example, body: changed(example.body, change.path, change.isRemoved, change.value) };
    case 'text':
      return example.body === undefined ? example : { ...example, text };
  }
}

/** What `fetch` can send to the same operation: `_history` and `$validate` in place of an id are others. */
function safe(location: string, text: string): string {
  if (location === 'header') return text.replaceAll(/[^\t\u0020-\u007E\u00A0-\u00FF]/g, '?');
  return location === 'path' && /^(\.{0,2}$|[_$])/.test(text) ? `x${text}` : text;
}

/** What the caller has; of what an earlier request has deleted, the example keeps the values of the document. */
function valuesFor(own: OwnValues, example: Example): Promise<ReadonlyMap<string, string | number>> {
  return own.of(example).catch(() => new Map());
}

describe('hostile requests get no error of the service', () => {
  it.each(publicDocuments)('to %s', async (name, base, server) => {
    const own = new OwnValues(
      await newClient(ready, `hostile requests to ${name}`),
      releases.find((each) => each === name),
    );
    const user = await own.user();
    const examples = examplesOf(await documentOf(base));
    const valuesOf = new Map<number, Promise<ReadonlyMap<string, string | number>>>();
    const request = fc.tuple(fc.nat(examples.length - 1), fc.array(change, { minLength: 1, maxLength: 3 }));
    const failures: unknown[] = [];
    for (let round = 0; round < rounds && failures.length === 0; round++) {
      const seed = firstSeed + round;
      const requests = fc.sample(request, { seed, numRuns: requestsOfRound });
      for (let at = 0; at < requests.length; at += concurrency)
        await Promise.all(
          requests.slice(at, at + concurrency).map(async ([index, changes]) => {
            const example = examples[index]!;
            const values = await (valuesOf.get(index) ?? valuesOf.set(index, valuesFor(own, example)).get(index)!);
            const sent = changes.reduce(withChange, example);
            const reply = await sendWith(server, sent, values, user).catch((error: unknown) => String(error));
            if (typeof reply === 'string' || reply.status >= 500)
              failures.push({ seed, sent, reply: typeof reply === 'string' ? reply : [reply.status, reply.text] });
          }),
        );
    }
    expect(failures).toEqual([]);
  });
});
