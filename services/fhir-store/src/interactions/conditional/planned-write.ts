import {
  type Change,
  type ChangeOutcome,
  type LockedRecord,
  MUST_NOT_EXIST,
  type RecordReader,
  VersionConflictError,
  keyText,
  typeCodeOf,
} from '@tributary/record-storage';
import type { Resource } from '@tributary/fhir-json';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest, ReadRequest } from '../../fhir-http/fhir-request';
import { clientContent } from '../../resources/resource-content';
import { versionResponse } from '../read';
import { deletedResponse, writeResponse } from '../write-response';
import type { Match } from './matches';

interface Planned {
  readonly type: string;
  /** The version results from a search and not from If-Match. After a version conflict the write is planned again. */
  readonly isFound?: boolean;
}

export interface PlannedStore extends Planned {
  readonly effect: 'store';
  readonly id: string;
  /** The id was chosen by the client, not assigned by the service. */
  readonly isClientAssignedId?: boolean;
  readonly resource: Resource;
  readonly expectedVersion?: number | undefined;
  /** The criteria without a match, in canonical form. */
  readonly createdFor?: string;
}

export interface PlannedUnchanged extends Planned {
  readonly effect: 'unchanged';
  readonly id: string;
  readonly match: Match;
}

export interface PlannedDeletion extends Planned {
  readonly effect: 'delete';
  readonly targets: readonly { readonly id: string; readonly expectedVersion?: number | undefined }[];
}

/** The effect of an interaction or of an entry of a transaction, decided before anything is written. */
export type PlannedWrite = PlannedStore | PlannedUnchanged | PlannedDeletion;

/** A request within a transaction of the database, or one that makes a transaction of its write. */
export type WriteRequest = FhirRequest<RecordReader & Pick<LockedRecord, 'write'>>;

/**
 * Writes all plans in one transaction; their resources are valid.
 * @returns their responses
 * @throws VersionConflictError when a version is not the expected one, or a match was deleted after the search
 */
export async function writePlanned(request: WriteRequest, plans: readonly PlannedWrite[]): Promise<FhirResponse[]> {
  const changes = plans.flatMap((plan) => changesOf(request, plan));
  const written = await request.record.write(changes, { returnJson: true });
  const outcomes = new Map(written.map((outcome) => [keyText(outcome), outcome]));
  const responses: FhirResponse[] = [];
  for (const plan of plans) responses.push(await responseOf(request, plan, outcomes));
  return responses;
}

function changesOf(request: ReadRequest, plan: PlannedWrite): Change[] {
  if (plan.effect === 'unchanged') return [];
  const typeCode = typeCodeOf(request.release, plan.type);
  if (plan.effect === 'delete')
    return plan.targets.map(({ id, expectedVersion }) => ({
      typeCode,
      id,
      delete: true,
      ...expecting(expectedVersion),
    }));
  return [
    {
      typeCode,
      id: plan.id,
      isClientAssignedId: plan.isClientAssignedId === true,
      ...clientContent(request, plan.resource),
      ...expecting(plan.expectedVersion),
    },
  ];
}

function expecting(version: number | undefined): { expectedVersion?: number } {
  return version === undefined ? {} : { expectedVersion: version };
}

/** Whether the client named the version in conflict. If not, the search is repeated. */
export function isExpected(
  { release }: ReadRequest,
  plans: readonly PlannedWrite[],
  { typeCode, id, expected }: VersionConflictError,
): boolean {
  const plan = plans.find(
    (each) =>
      (each.effect === 'delete' ? each.targets.some((target) => target.id === id) : each.id === id) &&
      typeCodeOf(release, each.type) === typeCode,
  );
  return expected === MUST_NOT_EXIST || plan?.isFound !== true;
}

async function responseOf(
  request: ReadRequest,
  plan: PlannedWrite,
  outcomes: ReadonlyMap<string, ChangeOutcome>,
): Promise<FhirResponse> {
  if (plan.effect === 'unchanged') {
    const response = await matchResponse(request, plan);
    if (response) return response;
    throw new VersionConflictError(plan.match.typeCode, plan.match.id, plan.match.version, undefined);
  }
  const typeCode = typeCodeOf(request.release, plan.type);
  if (plan.effect === 'delete') {
    if (plan.isFound) return deletedResponse(request, plan.targets.length);
    const [only] = plan.targets;
    return {
      status: 204,
      version: only && (outcomes.get(keyText({ typeCode, id: only.id }))?.version || undefined),
    };
  }
  const outcome = outcomes.get(keyText({ typeCode, id: plan.id })) as ChangeOutcome;
  return writeResponse(request, outcome.outcome === 'created' ? 201 : 200, {
    ...outcome,
    json: outcome.json as Buffer,
  });
}

/** The response with a match; undefined when the match was deleted after the search. */
export async function matchResponse(
  request: ReadRequest,
  { type, match: { typeCode, id } }: PlannedUnchanged,
): Promise<FhirResponse | undefined> {
  const stored = await request.record.read(typeCode, id);
  if (!stored?.json) return undefined;
  return {
    ...versionResponse({ ...request, headers: {} }, type, stored),
    location: `${request.base}/${type}/${id}/_history/${stored.version}`,
  };
}
