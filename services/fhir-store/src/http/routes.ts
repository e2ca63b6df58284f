import { type Release, isResourceType } from '@tributary/fhir-definitions';
import { capabilities } from '../capabilities/capabilities';
import { create } from '../interactions/create';
import { read } from '../interactions/read';
import { formPairs } from '../interactions/search/form-pairs';
import { search } from '../interactions/search/search';
import type { Answer } from './answer';
import type { Call } from './call';
import { FhirError } from './fhir-error';

/** What a method on an address does. */
export interface Route {
  /** The pattern of the address, for logs. */
  readonly name: string;
  /** Needs no token. */
  readonly isPublic?: boolean;
  run(call: Call): Promise<Answer>;
}

type Run = (call: Call) => Promise<Answer>;
type Methods = Readonly<Record<string, Run>>;

/**
 * The interaction that a method on an address below the release asks for.
 * @throws FhirError 404 where there is nothing, 405 for another method
 */
export function routeOf(release: Release, method: string, segments: readonly string[]): Route {
  const place = placeOf(release, segments);
  const run = place.methods[method === 'HEAD' ? 'GET' : method];
  if (!run) {
    const allowed = Object.keys(place.methods).flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])).join(', ');
    throw new FhirError(405, `this address takes ${allowed}`, 'not-supported', { Allow: allowed });
  }
  return { name: place.name, run, ...(place.isPublic ? { isPublic: true } : {}) };
}

interface Place {
  readonly name: string;
  readonly methods: Methods;
  readonly isPublic?: boolean;
}

function placeOf(release: Release, segments: readonly string[]): Place {
  const [first, second] = segments;
  if (first === undefined) return { name: '', methods: systemMethods };
  if (segments.length === 1 && first === 'metadata') return { name: 'metadata', methods: { GET: capabilities }, isPublic: true };
  if (segments.length === 1 && first === '_search') return { name: '_search', methods: { POST: postedSearch('', undefined) } };
  if (!/^[A-Z]/.test(first)) throw nothingHere();
  if (!isResourceType(release, first)) throw new FhirError(404, `this release of FHIR has no such resource type`, 'not-supported');
  if (second === undefined) return { name: '{type}', methods: typeMethods(first) };
  if (segments.length === 2 && second === '_search') return { name: '{type}/_search', methods: { POST: postedSearch(first, first) } };
  if (segments.length === 2) return { name: '{type}/{id}', methods: instanceMethods(first, second) };
  throw nothingHere();
}

const systemMethods: Methods = { GET: (call) => search(call, { address: '', type: undefined }) };

function typeMethods(type: string): Methods {
  return {
    GET: (call) => search(call, { address: type, type }),
    POST: (call) => create(call, type),
  };
}

function instanceMethods(type: string, id: string): Methods {
  return { GET: (call) => read(call, type, id) };
}

function postedSearch(address: string, type: string | undefined): Run {
  return async (call) => search(call, { address, type }, await formPairs(call));
}

function nothingHere(): FhirError {
  return new FhirError(404, 'there is nothing at this address', 'not-found');
}
