import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import type { HealthSystemClient } from '../../health-system/health-system-client';
import { HealthSystemRequestFailed } from '../../health-system/request-failures';
import { patientUrl } from './plan';
import { readResource } from '../../health-system/searchset';
import type { TypeFailed } from '../../health-system/type-failed';

/**
 * Whether the health system still responds to a request that it has answered before, for other types than those that
 * failed; without failures, to a read of the patient. An outage of the whole system must not count against a type.
 */
export async function stillResponds(
  client: HealthSystemClient,
  checkpoints: readonly CollectionCheckpoint[],
  patientId: string,
  failures: readonly TypeFailed[],
): Promise<boolean> {
  const failed = new Set(failures.map(({ type }) => type));
  const answered = checkpoints.filter(({ type, search }) => type !== 'Patient' && search.answered !== undefined);
  if (failed.size > 0 && answered.length === 0) return false;
  const search = answered.find(({ type }) => !failed.has(type))?.search.answered ?? patientUrl(patientId);
  const read = (body: Buffer): unknown => body.length === 0 || readResource(body);
  const smallSearch = search.replace(/(?<=[?&]_count=)\d+/, '1');
  try {
    await client.get(client.searchUrl(smallSearch), { read });
    return true;
  } catch (error) {
    if (!(error instanceof HealthSystemRequestFailed)) throw error;
    return false;
  }
}
