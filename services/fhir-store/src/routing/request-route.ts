import type { Release } from '@tributary/fhir-definitions';
import { postBundle } from '../bundles/transaction';
import { type Route, routeOf } from './routes';

/** The route of a batch or transaction. It is not part of `routeOf`, which routes the entries of a Bundle. */
const bundleRoute: Route = { name: '', run: postBundle };

/** The route of a request: as `routeOf`, and the one of a Bundle. */
export function routeOfRequest(release: Release, method: string, segments: readonly string[]): Route {
  return method === 'POST' && segments.length === 0 ? bundleRoute : routeOf(release, method, segments);
}
