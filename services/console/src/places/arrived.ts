import type { ConnectionDetail } from '@tributary/contracts';
import { HttpError } from '@tributary/service-kit';
import type { PublicApis } from '../page/public-apis';
import type { ArrivedCount } from '../screens/screens';
import { countedReleases } from './places';

/** The content of documents: DocumentReference has each of them once. */
const attachment = 'Binary';

/**
 * What the record has of the places, each resource once. Empty where it cannot be counted: the screen does without it.
 * The screen is read every two seconds while something is collected. One release is counted by the index, as fast as a
 * page of a search is read; several are counted when nothing is collected any more, as an older one is counted on its
 * content where one of its health systems also has a newer one.
 */
export async function readArrived(
  apis: Pick<PublicApis, 'counts'>,
  connections: readonly ConnectionDetail[],
): Promise<ArrivedCount[]> {
  const releases = countedReleases(connections);
  if (releases.length > 1 && connections.some(({ status }) => status === 'collecting')) return [];
  try {
    const counts = await Promise.all(releases.map((release) => apis.counts(release)));
    return counts.flat().filter(({ type }) => type !== attachment);
  } catch (error) {
    if (error instanceof HttpError) return [];
    throw error;
  }
}
