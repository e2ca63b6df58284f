import type { JsonObject } from '@tributary/fhir-json';
import { Bundle, type RecordOverHttp, resourceOf } from '../../record-over-http';

/** Creates resources in one transaction; their ids in the same order. */
export async function populate(user: RecordOverHttp, resources: readonly JsonObject[]): Promise<string[]> {
  const entry = resources.map((resource) => ({
    resource,
    request: { method: 'POST', url: String(resource['resourceType']) },
  }));
  const response = await user.send('post', '/r4', { resourceType: 'Bundle', type: 'transaction', entry });
  if (response.status !== 200) throw new Error(String(response.body));
  return new Bundle(resourceOf(response)).entries.map((each) => each.resource?.id ?? '');
}

/** The indexes in the population of what a search finds. */
export async function found(user: RecordOverHttp, ids: readonly string[], address: string): Promise<number[]> {
  const { matches } = await user.bundle(`/r4/${address}&_count=1000`);
  return matches.map(({ id }) => ids.indexOf(id ?? '')).toSorted((a, b) => a - b);
}

/** The indexes of the values that fit. */
export function indexesOf<T>(values: readonly T[], fits: (value: T) => boolean): number[] {
  return values.flatMap((value, index) => (fits(value) ? [index] : []));
}
