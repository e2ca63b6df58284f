import {
  type CollectionReport,
  type CollectionWarning,
  type ConnectionWarning,
  type TypeOutcome,
  type TypeProgress,
  type TypeResult,
  isCompleteRecord,
  isInformation,
  outcomeOfWarnings,
} from '@tributary/contracts';

/** The result of the last collection of a connection that ended. It stays valid while the next one is in progress. */
export interface LastResult {
  /** Whether everything that the health system offers was read. */
  complete: boolean;
  /** How many types were searched. */
  typesTotal: number;
  types: TypeResult[];
  /** When a type failed in a collection for the first time, if one has failed in each since. ISO 8601. */
  failingSince?: string;
}

/** A type keeps at most this many warnings, as in the reports of the worker. */
const maxTypeWarnings = 20;
/** A list of connections, or an event, has at most this many warnings of a connection, and as much information. */
const maxWarnings = 50;

/**
 * The result of a collection that ends with this report. What an earlier collection could not read is still missing
 * when this one has read only changes, and when it has not read the type at all: those warnings are kept.
 */
export function resultOf(
  { state, types }: CollectionReport,
  previous: LastResult | null,
  endedAt = new Date(),
): LastResult {
  const isFull = state === 'completed' && types.every(({ read }) => read !== 'changes');
  const earlier = new Map(previous?.types.map((result) => [result.type, result]));
  const results = types.map((type): TypeResult => {
    const isReadInFull = type.read === 'references' ? isFull : type.read === 'full' && type.done;
    const kept = isReadInFull ? [] : gapsOf(earlier.get(type.type)?.warnings ?? []);
    return { type: type.type, ...withEarlierWarnings(type, kept) };
  });
  const reported = new Set(types.map(({ type }) => type));
  const unread = isFull
    ? []
    : (previous?.types ?? []).filter(({ type, warnings }) => {
        return !reported.has(type) && gapsOf(warnings).length > 0;
      });
  const all = [...results, ...unread];
  return {
    complete: state === 'completed' && isCompleteRecord(all),
    typesTotal: types.filter(isSearched).length,
    types: all,
    ...(all.some(({ outcome }) => outcome === 'failed')
      ? { failingSince: previous?.failingSince ?? endedAt.toISOString() }
      : {}),
  };
}

function withEarlierWarnings(
  { done, outcome, warnings }: TypeProgress,
  earlier: readonly CollectionWarning[],
): Pick<TypeResult, 'outcome' | 'warnings'> {
  const added = earlier.filter(
    ({ code, message }) => !warnings.some((warning) => warning.code === code && warning.message === message),
  );
  if (added.length === 0) return { outcome, warnings };
  const all = [...warnings, ...added].slice(0, maxTypeWarnings);
  return { outcome: done ? outcomeOfWarnings(all) : outcome, warnings: all };
}

/** What these say is decided anew by each collection, from the scopes and the CapabilityStatement. */
const decidedAnew: ReadonlySet<CollectionWarning['code']> = new Set(['not_granted', 'no_patient_search', 'read_only']);

/** The warnings by which something is missing, until the type is read in full. */
function gapsOf(warnings: readonly CollectionWarning[]): CollectionWarning[] {
  return warnings.filter(
    (warning) => !decidedAnew.has(warning.code) && !isCompleteRecord([{ outcome: outcomeOfWarnings([warning]) }]),
  );
}

/** Whether the type was planned. Types to which only references lead are found during the collection. */
export function isSearched({ read }: Pick<TypeProgress, 'read'>): boolean {
  return read !== 'references';
}

const worstFirst: readonly TypeOutcome[] = ['failed', 'refused', 'partial', 'complete'];

/** The warnings of all types, each with its type: at most 50, the worst first. */
export function warningsOf(types: readonly Pick<TypeResult, 'type' | 'warnings'>[]): {
  warnings: ConnectionWarning[];
  warnings_omitted: number;
} {
  const all = ofTypes(types)
    .filter((warning) => !isInformation(warning))
    .sort((one, other) => rankOf(one) - rankOf(other));
  return { warnings: all.slice(0, maxWarnings), warnings_omitted: Math.max(0, all.length - maxWarnings) };
}

/** What only informs, of all types, each with its type: at most 50. */
export function informationOf(types: readonly Pick<TypeResult, 'type' | 'warnings'>[]): ConnectionWarning[] {
  return ofTypes(types).filter(isInformation).slice(0, maxWarnings);
}

function ofTypes(types: readonly Pick<TypeResult, 'type' | 'warnings'>[]): ConnectionWarning[] {
  return types.flatMap(({ type, warnings }) => warnings.map(({ code, message }) => ({ code, type, message })));
}

function rankOf(warning: Pick<CollectionWarning, 'code'>): number {
  return worstFirst.indexOf(outcomeOfWarnings([warning]));
}
