import type { Operation } from './operation';
import { checkStatuses, checkUser } from './check';
import type { FinalState, HistoryEntry, ReadAnswer } from './final-state';

const id = 'resource';
const first: HistoryEntry = { id, version: 1, marker: 'a', lastUpdated: 10 };
const second: HistoryEntry = { id, version: 2, marker: 'b', lastUpdated: 20 };
const deletion: HistoryEntry = { id, version: 3, deleted: true, lastUpdated: 30 };

function put(marker: string, version: number, started: number, more: Partial<Operation> = {}): Operation {
  return {
    name: 'put',
    user: 1,
    started,
    ended: started + 5,
    outcome: 'acknowledged',
    status: 200,
    intents: [{ id, marker }],
    written: [{ id, version, marker }],
    seen: [],
    ...more,
  };
}

function del(version: number, started: number): Operation {
  return {
    name: 'delete',
    user: 1,
    started,
    ended: started + 5,
    outcome: 'acknowledged',
    status: 204,
    intents: [{ id, deleted: true }],
    written: [{ id, version, deleted: true }],
    seen: [],
  };
}

/** A consistent final state of a history. */
function finalOf(...history: HistoryEntry[]): FinalState {
  const answer = ({ version, marker }: HistoryEntry): ReadAnswer =>
    marker === undefined ? { deleted: true, version } : { marker, version };
  const latest = new Map(history.map((entry) => [entry.id, entry]));
  const existing = [...latest.values()].filter(({ deleted }) => !deleted);
  return {
    user: 1,
    history,
    reads: new Map([...latest].map(([key, entry]) => [key, answer(entry)])),
    versionReads: new Map(history.map((entry) => [`${entry.id}/${entry.version}`, answer(entry)])),
    searched: existing,
    exported: existing,
  };
}

function rules(operations: readonly Operation[], final: FinalState): string[] {
  return checkUser(operations, [], final).map(({ rule }) => rule);
}

const wellDone = [put('a', 1, 0), put('b', 2, 10), del(3, 20)];

it('accepts a history of the acknowledged writes', () => {
  expect(rules(wellDone, finalOf(first, second, deletion))).toEqual([]);
});

it('accepts a write without response once or not at all, but not twice', () => {
  const lost = put('b', 2, 10, { outcome: 'unknown', status: undefined, written: [] });
  expect(rules([put('a', 1, 0), lost], finalOf(first))).toEqual([]);
  expect(rules([put('a', 1, 0), lost], finalOf(first, second))).toEqual([]);
  expect(rules([put('a', 1, 0), lost], finalOf(first, second, { ...second, version: 3, lastUpdated: 30 }))).toEqual([
    'a write is in the history once, and not if it was refused',
  ]);
});

it.each<[string, Operation[], FinalState]>([
  ['versions are contiguous', [put('a', 1, 0), del(3, 20)], finalOf(first, deletion)],
  ['times rise with versions', wellDone, finalOf(first, { ...second, lastUpdated: 10 }, deletion)],
  ['acknowledged writes are in the history', wellDone, finalOf(first, second)],
  [
    'acknowledged writes are in the history',
    wellDone,
    finalOf({ ...first, marker: 'b' }, { ...second, marker: 'a' }, deletion),
  ],
  ['a version has one writer', [put('a', 1, 0), put('b', 2, 10), put('c', 2, 10)], finalOf(first, second)],
  [
    'a write is in the history once, and not if it was refused',
    [put('a', 1, 0), put('b', 2, 10, { outcome: 'refused', status: 412, written: [] })],
    finalOf(first, second),
  ],
  ['every version has a writer', [put('a', 1, 0)], finalOf(first, second)],
  ['every version has a writer', [put('a', 1, 0), put('b', 2, 10)], finalOf(first, second, deletion)],
  [
    'answers show what is in the history',
    [put('a', 1, 0, { seen: [{ id, version: 1, marker: 'z' }] })],
    finalOf(first),
  ],
  ['what begins after an answer comes after it', [put('a', 1, 10), put('b', 2, 0)], finalOf(first, second)],
  [
    'what begins after an answer comes after it',
    [put('a', 1, 0), put('b', 2, 10), put('', 0, 20, { name: 'read', intents: [], written: [], seen: [first] })],
    finalOf(first, second),
  ],
  [
    'reads, searches and exports agree with the history',
    wellDone,
    { ...finalOf(first, second, deletion), exported: [second] },
  ],
  ['reads, searches and exports agree with the history', [put('a', 1, 0)], { ...finalOf(first), searched: [] }],
  [
    'reads, searches and exports agree with the history',
    [put('a', 1, 0)],
    { ...finalOf(first), reads: new Map([[id, { deleted: true, version: 2 }]]) },
  ],
  [
    'reads, searches and exports agree with the history',
    [put('a', 1, 0)],
    { ...finalOf(first), versionReads: new Map() },
  ],
])('%s', (rule, operations, final) => {
  expect(rules(operations, final)).toContain(rule);
});

it('checks exports against the latest versions at their time and the writes acknowledged before', () => {
  const at = (time: number, resources: HistoryEntry[]): string[] =>
    checkUser(wellDone, [{ user: 1, started: 16, at: time, resources }], finalOf(first, second, deletion)).map(
      ({ rule }) => rule,
    );
  expect(at(21, [second])).toEqual([]);
  expect(at(31, [])).toEqual([]);
  expect(at(21, [first])).toContain('reads, searches and exports agree with the history');
  expect(at(15, [first])).toEqual(['exports have what was acknowledged before']);
});

it('finds statuses that no response may have', () => {
  expect(
    checkStatuses([put('a', 1, 0), put('b', 2, 0, { status: 503 }), put('c', 3, 0, { status: undefined })]),
  ).toEqual([]);
  expect(checkStatuses([put('a', 1, 0, { status: 500 })])).toHaveLength(1);
});
