import type { AuditEntity } from '@tributary/audit-log';
import { type Release, isResourceType } from '@tributary/fhir-definitions';
import type { BundleEntry } from '../bundles/bundle-entry';
import { routeNameOf } from '../bundles/batch';
import type { EntryResult } from '../bundles/response-bundle';
import { FhirError } from '../fhir-http/fhir-error';
import { entitiesOf } from './fhir-event';

/** So many entries of a Bundle are listed in its audit event; of larger Bundles it has the numbers only. */
const maxListed = 100;

/**
 * What the entries of a batch or transaction are about: how many there are of each method and type, those that failed
 * with their status, those without a result because the Bundle failed before, and what each of the others is about.
 */
export function bundleEntities(
  release: Release,
  entries: readonly BundleEntry[],
  results: readonly EntryResult[],
): readonly AuditEntity[] {
  const counts = new Map<string, number>();
  const listed: AuditEntity[] = [];
  for (const entry of entries) {
    const result = results[entry.index];
    const { method, segments = [] } = entry;
    const [type = ''] = segments;
    const failed = result === undefined ? ' without result' : result instanceof FhirError ? ` ${result.status}` : '';
    const name = `${methods.has(method) ? method : '?'} ${isResourceType(release, type) ? type : ''}`.trim() + failed;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (entries.length > maxListed || result === undefined || result instanceof FhirError) continue;
    listed.push(...entitiesOf({ method, release, route: routeNameOf(release, entry), segments }, result));
  }
  return [{ release, type: 'Bundle', count: entries.length, counts: Object.fromEntries(counts) }, ...listed];
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
