import type { ConnectionForCollection, TypeProgress } from '@tributary/contracts';
import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import type { EarlierCollections } from '../../checkpoints/verification-state';
import type { HealthSystemClient } from '../../health-system/health-system-client';
import { AddressForbidden, HealthSystemRequestFailed } from '../../health-system/request-failures';
import { type Capabilities, readCapabilities } from './capabilities';
import { type TypePlan, planCollection } from './plan';
import { emptyProgress, finish, warn } from '../../checkpoints/progress';
import { stillResponds } from './responds';
import { TypeFailed } from '../../health-system/type-failed';
import { type UnsearchedType, unsearchedTypes } from './unsearched-types';
import { incrementalTypes, planVerification } from './plan-verification';

/**
 * The first checkpoints of a collection: of the types that are searched, and of the other clinical types.
 * @throws TypeFailed when the health system does not respond
 * @throws AddressForbidden
 */
export async function planCheckpoints(
  client: HealthSystemClient,
  connection: ConnectionForCollection,
  earlier: EarlierCollections | undefined,
): Promise<CollectionCheckpoint[]> {
  const capabilities = await capabilitiesOf(client, connection.patient_id);
  const plans = planCollection({
    ...connection,
    capabilities,
    earlier: earlier && { ...earlier, completeTypes: incrementalTypes(earlier) },
  });
  const searched = plans.map((plan) => plannedCheckpoint(plan, plans));
  const planned = earlier
    ? planVerification(
        searched,
        connection.fhirVersion,
        consentedOnly(earlier, connection.consented_types),
        capabilities?.conditionalReads ?? new Set(),
      )
    : searched;
  const known = new Set(planned.map(({ type }) => type));
  const unsearched = unsearchedTypes({ ...connection, capabilities, searched: known });
  return [...planned, ...unsearched.map(unsearchedCheckpoint)];
}

/** Without the types that an earlier, wider consent covered: what the record holds of them stays as it is. */
function consentedOnly(earlier: EarlierCollections, consented: readonly string[] | null): EarlierCollections {
  if (!consented) return earlier;
  const fullSearches = new Map([...earlier.fullSearches].filter(([type]) => consented.includes(type)));
  return { ...earlier, fullSearches };
}

function plannedCheckpoint(plan: TypePlan, plans: readonly TypePlan[]): CollectionCheckpoint {
  const { type, searches, warnings, isUnannounced, includesProvenance } = plan;
  return {
    type,
    search: {
      remaining: searches,
      ...(isUnannounced ? { isUnannounced } : {}),
      ...(includesProvenance ? { provenance: 'included' as const } : {}),
    },
    progress: { ...emptyProgress(type, readOf(plan, plans)), warnings },
  };
}

/** How a type is read. Provenance is read as the types are that include it. */
function readOf({ type, searches }: TypePlan, plans: readonly TypePlan[]): TypeProgress['read'] {
  const including = type === 'Provenance' ? plans.filter(({ includesProvenance }) => includesProvenance) : [];
  const all = [...searches, ...including.flatMap((plan) => plan.searches)];
  if (all.length === 0) return 'references';
  return all.some((search) => search.includes('_lastUpdated=')) ? 'changes' : 'full';
}

/**
 * Undefined when the health system has no readable CapabilityStatement: then the plan has every type. A failure of this
 * one request must not hold up a collection from a health system that responds to others.
 */
async function capabilitiesOf(client: HealthSystemClient, patientId: string): Promise<Capabilities | undefined> {
  try {
    const result = await client.get(client.urlOf('metadata'), { read: readCapabilities });
    return result.ok ? result.value : undefined;
  } catch (error) {
    if (!(error instanceof HealthSystemRequestFailed) || error instanceof AddressForbidden) throw error;
    if (error.isPermanent) return undefined;
    const isWithoutAccess = error.code === 'access_lost' || error.code === 'access_postponed';
    if (client.hasResponded || (!isWithoutAccess && (await stillResponds(client, [], patientId, [])))) return undefined;
    throw TypeFailed.afterRequest('metadata', error);
  }
}

/** A type without a warning stays pending until references are collected. */
function unsearchedCheckpoint({ type, warning }: UnsearchedType): CollectionCheckpoint {
  const checkpoint = { type, search: { remaining: [] }, progress: emptyProgress(type, 'references') };
  if (!warning) return checkpoint;
  warn(checkpoint.progress, warning.code, warning.message);
  finish(checkpoint.progress);
  return checkpoint;
}
