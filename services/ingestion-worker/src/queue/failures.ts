import { isDependencyUnavailable } from '@tributary/service-kit';
import { isPassing } from '../own-services/patiently';

/** Whether it is our own suite that keeps a collection from going on: that says nothing of the health system, and is no attempt of it. */
export function isOurOwn(error: unknown): boolean {
  return isPassing(error) || isDependencyUnavailable(error);
}
