import { isDependencyUnavailable } from '@tributary/service-kit';
import { isPassing } from '../own-services/patiently';

/** One of our own services was away, as the process of a collection tells. */
export class OwnServiceAway extends Error {}

/** Whether it is our own suite that keeps a collection from going on: that says nothing of the health system, and is no attempt of it. */
export function isOurOwn(error: unknown): boolean {
  return error instanceof OwnServiceAway || isPassing(error) || isDependencyUnavailable(error);
}
