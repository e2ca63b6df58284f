import { type Resource, parseJson } from '@tributary/fhir-json';

/** A stored line as a resource. */
export function parseResource(line: Buffer): Resource {
  return parseJson(line.toString('utf8')) as Resource;
}
