import { type Resource, parseJson } from '@tributary/fhir-json';

/** A stored line as a resource. */
export function parseResource(json: Buffer): Resource {
  return parseJson(json.toString('utf8')) as Resource;
}
