import { tally } from '@tributary/test-environment';
import type { Operation, State, TakenExport, VersionState } from './operation';
import type { FinalState, HistoryEntry } from './final-state';

/** A violation of a rule. */
export interface Violation {
  readonly rule: string;
  readonly details: string;
}

/** Compares the responses to one user's clients with the final state of the record. */
export function checkUser(
  operations: readonly Operation[],
  exports: readonly TakenExport[],
  final: FinalState,
): Violation[] {
  const check = new UserCheck(operations, final);
  return [
    ...check.contiguous(),
    ...check.acknowledged(),
    ...check.unexplained(),
    ...check.seen(),
    ...check.ordered(),
    ...check.agreeing(),
    ...exports.flatMap((taken) => [...check.exported(taken)]),
  ];
}

/** Statuses that no response of the run may have. */
export function checkStatuses(operations: readonly Operation[]): Violation[] {
  const expected = new Set([undefined, 200, 201, 204, 404, 409, 410, 412, 502, 503, 504]);
  return operations
    .filter(({ status }) => !expected.has(status))
    .map(({ name, status }) => ({ rule: 'no unexpected status', details: `${name} was returned ${status}` }));
}

/** Stands for the id of a resource that a conditional deletion chooses. */
const anyId = '';

class UserCheck {
  private readonly byVersion: ReadonlyMap<string, HistoryEntry>;
  private readonly byId: ReadonlyMap<string, HistoryEntry[]>;

  constructor(
    private readonly operations: readonly Operation[],
    private readonly final: FinalState,
  ) {
    this.byVersion = new Map(final.history.map((entry) => [key(entry), entry]));
    this.byId = groupedBy(
      final.history.toSorted((a, b) => a.version - b.version),
      ({ id }) => id,
    );
  }

  /** Versions are 1 to n without duplicates, with increasing times. */
  *contiguous(): Generator<Violation> {
    for (const [id, entries] of this.byId) {
      const versions = entries.map(({ version }) => version);
      if (versions.some((version, i) => version !== i + 1))
        yield { rule: 'versions are contiguous', details: `${id} has ${versions.join(' ')}` };
      for (const [i, entry] of entries.entries()) {
        const before = entries[i - 1];
        if (before && before.lastUpdated >= entry.lastUpdated)
          yield {
            rule: 'times rise with versions',
            details: `${key(entry)} is of ${entry.lastUpdated}, the one before of ${before.lastUpdated}`,
          };
      }
    }
  }

  /** Every acknowledged write is the version in its response, and no two responses have the same version. */
  *acknowledged(): Generator<Violation> {
    const acknowledged = new Map<string, Operation>();
    for (const operation of this.operations) {
      for (const written of operation.written) {
        const stored = this.byVersion.get(key(written));
        if (!stored)
          yield {
            rule: 'acknowledged writes are in the history',
            details: `${operation.name} wrote ${show(written)}, which is missing`,
          };
        else if (!same(stored, written))
          yield {
            rule: 'acknowledged writes are in the history',
            details: `${operation.name} wrote ${show(written)}, but the history has ${show(stored)}`,
          };
        const other = acknowledged.get(key(written));
        if (other)
          yield {
            rule: 'a version has one writer',
            details: `${other.name} and ${operation.name} were both acknowledged as ${key(written)}`,
          };
        acknowledged.set(key(written), operation);
      }
    }
  }

  /** Every version was written by one request that was not rejected. */
  *unexplained(): Generator<Violation> {
    const { history } = this.final;
    const markers = groupedBy(
      history.filter(({ deleted }) => !deleted),
      ({ marker = '' }) => marker,
    );
    const deletions = tally(history.filter(({ deleted }) => deleted).map(({ id }) => id));
    const deletable: string[] = [];
    const intended = new Set<string>();
    for (const { name, outcome, intents, written } of this.operations) {
      for (const { id, marker } of intents) {
        if (marker === undefined) {
          if (outcome !== 'refused') deletable.push(id ?? anyId);
          continue;
        }
        intended.add(marker);
        const versions = markers.get(marker) ?? [];
        const isWritten = written.some((each) => each.marker === marker);
        const most = outcome === 'unknown' || isWritten ? 1 : 0;
        if (versions.length > most)
          yield {
            rule: 'a write is in the history once, and not if it was refused',
            details: `${name} (${outcome}) is ${versions.map(key).join(' and ')}`,
          };
      }
    }
    const allowed = tally(deletable);
    for (const [marker, versions] of markers)
      if (!intended.has(marker))
        yield { rule: 'every version has a writer', details: `nobody wrote ${versions.map(key).join(' and ')}` };
    for (const [id, count] of deletions) {
      if (count > (allowed.get(id) ?? 0) + (allowed.get(anyId) ?? 0))
        yield {
          rule: 'every version has a writer',
          details: `${id} was deleted ${count} times, more than anybody asked for`,
        };
    }
  }

  /** Every version that a reader received is in the history. */
  *seen(): Generator<Violation> {
    for (const { name, seen } of this.operations) {
      for (const state of seen) {
        const stored = this.byVersion.get(key(state));
        if (!stored || !same(stored, state))
          yield {
            rule: 'answers show what is in the history',
            details: `${name} saw ${show(state)}, but the history has ${stored ? show(stored) : 'no such version'}`,
          };
      }
    }
  }

  /** An operation that began after an acknowledged write has a later version and sees no earlier one. */
  *ordered(): Generator<Violation> {
    const isLatest = new Set(['read', 'readLarge', 'search']);
    const events = this.operations.flatMap((operation) => [
      ...operation.written.map((state) => ({ operation, state, latest: false })),
      ...(isLatest.has(operation.name) ? operation.seen.map((state) => ({ operation, state, latest: true })) : []),
    ]);
    for (const [id, ofId] of groupedBy(events, ({ state }) => state.id)) {
      const writes = ofId.filter(({ latest }) => !latest).toSorted((a, b) => a.operation.ended - b.operation.ended);
      let [next, least] = [0, 0];
      for (const { operation, state, latest } of ofId.toSorted((a, b) => a.operation.started - b.operation.started)) {
        for (let write = writes[next]; write && write.operation.ended < operation.started; write = writes[++next])
          least = Math.max(least, write.state.version);
        if (latest ? state.version < least : state.version <= least) {
          yield {
            rule: 'what begins after an answer comes after it',
            details: `${operation.name} has ${id}/${state.version}, but ${id}/${least} was acknowledged before it began`,
          };
        }
      }
    }
  }

  /** Reads, version reads, the search and the export agree with the history. */
  *agreeing(): Generator<Violation> {
    const current = [...this.byId.values()].map((entries) => entries.at(-1) as HistoryEntry);
    for (const latest of current) {
      const answer = this.final.reads.get(latest.id);
      if (!answer || !same(answer, latest) || (!latest.deleted && answer.version !== latest.version))
        yield disagreement('a read', latest, answer);
    }
    for (const entry of this.final.history) {
      const answer = this.final.versionReads.get(key(entry));
      if (!answer || !same(answer, entry) || (!entry.deleted && answer.version !== entry.version))
        yield disagreement('a vread', entry, answer);
    }
    const existing = current.filter(({ deleted }) => !deleted);
    yield* sameSet('the search', this.final.searched, existing);
    yield* sameSet('the export', this.final.exported, existing);
  }

  /**
   * An export contains exactly the latest versions at its snapshot time, and every write acknowledged before it began.
   */
  *exported({ at, started, resources }: TakenExport): Generator<Violation> {
    const latest = [...this.byId.values()].flatMap((entries) =>
      entries.filter(({ lastUpdated }) => lastUpdated < at).slice(-1),
    );
    yield* sameSet(
      `the export as of ${at}`,
      resources,
      latest.filter(({ deleted }) => !deleted),
    );
    for (const { name, ended, written } of this.operations) {
      if (ended >= started) continue;
      for (const state of written) {
        const stored = this.byVersion.get(key(state));
        if (stored && stored.lastUpdated >= at)
          yield {
            rule: 'exports have what was acknowledged before',
            details: `${name} wrote ${key(state)} at ${stored.lastUpdated}, but the later snapshot is of ${at}`,
          };
      }
    }
  }
}

function disagreement(
  name: string,
  entry: HistoryEntry,
  answer: (State & { version?: number | undefined }) | undefined,
): Violation {
  return {
    rule: 'reads, searches and exports agree with the history',
    details: `${name} of ${show(entry)} gave ${answer ? `${answer.marker ?? 'a deletion'} (version ${answer.version})` : 'nothing'}`,
  };
}

function* sameSet(
  name: string,
  found: readonly VersionState[],
  expected: readonly VersionState[],
): Generator<Violation> {
  const rule = 'reads, searches and exports agree with the history';
  const texts = new Set(expected.map(show));
  for (const state of found)
    if (!texts.delete(show(state)))
      yield { rule, details: `${name} has ${show(state)}, which is not the latest or there twice` };
  for (const text of texts) yield { rule, details: `${name} lacks ${text}` };
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function key({ id, version }: { id: string; version: number }): string {
  return `${id}/${version}`;
}

function same(one: State, other: State): boolean {
  return one.deleted === other.deleted && one.marker === other.marker;
}

function show(state: VersionState): string {
  return `${key(state)} (${state.marker ?? 'deleted'})`;
}
