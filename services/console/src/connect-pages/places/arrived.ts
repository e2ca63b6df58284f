import type { ConnectionDetail } from '@tributary/contracts';
import { HttpError } from '@tributary/service-kit';
import type { PublicApis } from '../page/public-apis';
import type { ArrivedCount } from '../screens/screens';
import { countedReleases, documentContent } from './places';

/**
 * What the record has of the places, each resource once. Empty while something is collected, when the places show their
 * progress, and where it cannot be counted: the screen does without it.
 */
export async function readArrived(
  apis: Pick<PublicApis, 'counts'>,
  connections: readonly ConnectionDetail[],
): Promise<ArrivedCount[]> {
  if (connections.some(({ status }) => status === 'collecting')) return [];
  const releases = countedReleases(connections);
  try {
    const counts = await Promise.all(releases.map((release) => apis.counts(release)));
    return counts.flat().filter(({ type }) => type !== documentContent);
  } catch (error) {
    if (error instanceof HttpError) return [];
    throw error;
  }
}
