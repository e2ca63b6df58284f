import { type Release, compartment, isResourceType } from '@tributary/fhir-definitions';
import { assertMayWrite } from '@tributary/service-kit';
import { capabilities } from '../capabilities/capabilities';
import { conditionalDelete, conditionalUpdate } from '../interactions/conditional/conditional';
import { withBinaryBody } from '../interactions/binary-body';
import { create } from '../interactions/create';
import { deleteInstance } from '../interactions/delete';
import { instanceHistory, systemHistory, typeHistory } from '../interactions/history/history';
import { conditionalPatch, patchInstance } from '../interactions/patch/patch';
import { read, vread } from '../interactions/read';
import { type SearchScope, compartmentScope } from '../interactions/search/parse/search-scope';
import { postedParameters } from '../interactions/search/parse/posted-search';
import { search } from '../interactions/search/search';
import { update } from '../interactions/update';
import type { FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';
import { isSafe } from './is-safe';
import { type Methods, findsResources, instanceOperation, systemOperation, typeOperation } from './operation-routes';
import { noSuchType } from './unknown-type';

/** The interaction of a method on a path. */
export interface Route {
  /** The pattern of the path, for logs. */
  readonly name: string;
  /** Requires no token. */
  readonly isPublic?: boolean;
  /** Its response is available in R4 when the URL has an older release. */
  readonly converts?: boolean;
  /** Its response can have another media type than FHIR JSON. */
  readonly servesNative?: boolean;
  run(request: FhirRequest): Promise<FhirResponse>;
}

interface PathRoutes {
  readonly name: string;
  readonly methods: Methods;
  readonly isPublic?: boolean;
  /** The methods whose responses are available in R4. */
  readonly converting?: readonly string[];
  /** Whether GET can respond with the content of a Binary. */
  readonly servesNative?: boolean;
}

const reading = ['GET'];
const posting = ['POST'];
const either = [...reading, ...posting];

/**
 * The route of a method on a path below the release (https://hl7.org/fhir/R4/http.html).
 * @returns a route that refuses with 403 what the scope of the user's token does not allow
 * @throws FhirError 404 for an unknown path, 405 with Allow for another method
 */
export function routeOf(release: Release, method: string, segments: readonly string[]): Route {
  const path = routesOfPath(release, segments);
  const name = method === 'HEAD' ? 'GET' : method;
  const run = Object.hasOwn(path.methods, name) ? path.methods[name] : undefined;
  if (!run) {
    const allowed = Object.keys(path.methods)
      .flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each]))
      .join(', ');
    throw new FhirError(405, `this address allows ${allowed}`, 'not-supported', { Allow: allowed });
  }
  return {
    name: path.name,
    run: isSafe(name, path.name)
      ? run
      : async (request) => {
          assertMayWrite(request);
          return run(request);
        },
    ...(path.isPublic ? { isPublic: true } : {}),
    ...(path.converting?.includes(name) ? { converts: true } : {}),
    ...(path.servesNative && name === 'GET' ? { servesNative: true } : {}),
  };
}

function routesOfPath(release: Release, segments: readonly string[]): PathRoutes {
  const [first, second] = segments;
  const path = first === undefined || !/^[A-Z]/.test(first) ? systemRoutes(segments) : undefined;
  if (path) return path;
  if (first === undefined || !/^[A-Za-z]/.test(first)) throw nothingHere();
  if (!isResourceType(release, first)) throw noSuchType(release, first);
  const found =
    second === undefined || /^[_$]/.test(second)
      ? typeRoutes(first, segments)
      : instanceRoutes(release, first, second, segments.slice(2));
  if (!found) throw nothingHere();
  return found;
}

function systemRoutes([first, ...rest]: readonly string[]): PathRoutes | undefined {
  if (rest.length > 0) return undefined;
  switch (first) {
    case undefined:
      return {
        name: '',
        converting: reading,
        methods: {
          GET: searching({ address: '', type: undefined }),
          POST: () => Promise.reject(badRequest('a Bundle is not allowed in a Bundle', 'not-supported')),
        },
      };
    case 'metadata':
      return { name: 'metadata', methods: { GET: capabilities }, isPublic: true };
    case '_search':
      return {
        name: '_search',
        converting: posting,
        methods: { POST: postedSearch({ address: '', type: undefined }) },
      };
    case '_history':
      return { name: '_history', converting: reading, methods: { GET: systemHistory } };
    default:
      return first.startsWith('$') ? operationRoutes(first, systemOperation(first)) : undefined;
  }
}

function typeRoutes(type: string, [, second, ...rest]: readonly string[]): PathRoutes | undefined {
  if (rest.length > 0) return undefined;
  switch (second) {
    case undefined:
      return {
        name: '{type}',
        converting: reading,
        methods: {
          GET: searching({ address: type, type }),
          POST: (request) => create(withBinaryBody(request, type), type),
          PUT: (request) => conditionalUpdate(withBinaryBody(request, type), type),
          PATCH: (request) => conditionalPatch(request, type),
          DELETE: (request) => conditionalDelete(request, type),
        },
      };
    case '_search':
      return { name: '{type}/_search', converting: posting, methods: { POST: postedSearch({ address: type, type }) } };
    case '_history':
      return {
        name: '{type}/_history',
        converting: reading,
        methods: { GET: (request) => typeHistory(request, type) },
      };
    default:
      return operationRoutes(`{type}/${second}`, typeOperation(type, second));
  }
}

function instanceRoutes(release: Release, type: string, id: string, rest: readonly string[]): PathRoutes | undefined {
  const [third, fourth, ...more] = rest;
  if (more.length > 0) return undefined;
  if (third === undefined) {
    return {
      name: '{type}/{id}',
      converting: reading,
      servesNative: type === 'Binary',
      methods: {
        GET: (request) => read(request, type, id),
        PUT: (request) => update(withBinaryBody(request, type, id), type, id),
        PATCH: (request) => patchInstance(request, type, id),
        DELETE: (request) => deleteInstance(request, type, id),
      },
    };
  }
  if (third === '_history') {
    if (fourth === undefined)
      return {
        name: '{type}/{id}/_history',
        converting: reading,
        methods: { GET: (request) => instanceHistory(request, type, id) },
      };
    return {
      name: '{type}/{id}/_history/{version}',
      converting: reading,
      servesNative: type === 'Binary',
      methods: { GET: (request) => vread(request, type, id, fourth) },
    };
  }
  if (third.startsWith('$'))
    return fourth === undefined
      ? operationRoutes(`{type}/{id}/${third}`, instanceOperation(type, id, third))
      : undefined;
  return compartmentRoutes(release, type, id, third, fourth);
}

function compartmentRoutes(
  release: Release,
  name: string,
  id: string,
  type: string,
  last: string | undefined,
): PathRoutes | undefined {
  if (compartment(release, name).size === 0 || (type !== '*' && !isResourceType(release, type))) return undefined;
  const scope = compartmentScope({ release }, name, id, type);
  if (last === undefined)
    return { name: '{compartment}/{id}/{type}', converting: reading, methods: { GET: searching(scope) } };
  return last === '_search'
    ? { name: '{compartment}/{id}/{type}/_search', converting: posting, methods: { POST: postedSearch(scope) } }
    : undefined;
}

function operationRoutes(name: string, methods: Methods | undefined): PathRoutes | undefined {
  return methods && { name, methods, ...(findsResources(name) ? { converting: either } : {}) };
}

function searching(scope: SearchScope): (request: FhirRequest) => Promise<FhirResponse> {
  return (request) => search(request, scope);
}

function postedSearch(scope: SearchScope): (request: FhirRequest) => Promise<FhirResponse> {
  return async (request) => search(request, scope, await postedParameters(request));
}

function nothingHere(): FhirError {
  return new FhirError(404, 'there is nothing at this address', 'not-found');
}
