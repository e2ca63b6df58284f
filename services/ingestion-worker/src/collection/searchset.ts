import {
  type JsonObject,
  type JsonValue,
  type Resource,
  isJsonObject,
  parseJson,
  stringifyJson,
} from '@tributary/fhir-json';
import { UnreadableResponse } from '../health-system/request-failures';

export interface SearchsetPage {
  resources: CollectedResource[];
  warnings: string[];
  /** Entries without a readable resource. */
  unreadable: number;
  next: string | undefined;
}

/** A resource as JSON without line breaks; decimals keep their digits. */
export interface CollectedResource {
  /** `Type/id`; the id is empty when the resource has none. */
  key: string;
  json: string;
}

/**
 * Parses one page of a search (https://hl7.org/fhir/R4/bundle.html#searchset): matches and included resources, each
 * once. An OperationOutcome, whatever its search mode, becomes a warning.
 * @throws UnreadableResponse when the body is not a Bundle; the message never quotes it
 */
export function readSearchset(body: Buffer): SearchsetPage {
  const bundle = readObject(body);
  if (bundle['resourceType'] !== 'Bundle')
    throw new UnreadableResponse(`a Bundle was expected, not ${describeType(bundle['resourceType'])}`);
  const page: SearchsetPage = { resources: [], warnings: [], unreadable: 0, next: nextOf(bundle) };
  const seen = new Set<string>();
  for (const entry of listOf(bundle['entry'])) {
    const resource = isJsonObject(entry) ? entry['resource'] : undefined;
    if (!isResource(resource)) page.unreadable++;
    else if (resource.resourceType === 'OperationOutcome') page.warnings.push(...outcomeWarnings(resource));
    else addOnce(page.resources, collectedResource(resource), seen);
  }
  return page;
}

/**
 * Parses one resource, the response of a read.
 * @throws UnreadableResponse when the body is not a resource
 */
export function readResource(body: Buffer): Resource {
  const resource = readObject(body);
  if (!isResource(resource)) throw new UnreadableResponse('a resource was expected');
  return resource;
}

/**
 * The issues of an OperationOutcome, by severity and code only: the details can contain anything, even a patient's
 * name.
 */
function outcomeWarnings(outcome: JsonObject): string[] {
  const issues = listOf(outcome['issue']).filter(isJsonObject);
  const texts = issues
    .filter((issue) => issue['severity'] !== 'information')
    .map((issue) => `the health system says: ${codeOf(issue['severity'])}, ${codeOf(issue['code'])}`);
  return [...new Set(texts)];
}

export function collectedResource(resource: Resource): CollectedResource {
  return { key: `${resource.resourceType}/${resource.id ?? ''}`, json: stringifyJson(resource) };
}

/** Some servers repeat entries: an identical one is dropped. */
function addOnce(resources: CollectedResource[], resource: CollectedResource, seen: Set<string>): void {
  if (seen.has(resource.key) && resources.some(({ json }) => json === resource.json)) return;
  seen.add(resource.key);
  resources.push(resource);
}

function readObject(body: Buffer): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(body.toString('utf8'));
  } catch {
    throw new UnreadableResponse('the body is not JSON');
  }
  if (!isJsonObject(value)) throw new UnreadableResponse('the body is not a JSON object');
  return value;
}

function nextOf(bundle: JsonObject): string | undefined {
  const link = listOf(bundle['link'])
    .filter(isJsonObject)
    .find((candidate) => candidate['relation'] === 'next');
  return typeof link?.['url'] === 'string' ? link['url'] : undefined;
}

function isResource(value: unknown): value is Resource {
  return isJsonObject(value) && typeof value['resourceType'] === 'string';
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function codeOf(value: JsonValue | undefined): string {
  return typeof value === 'string' && /^[a-z-]{1,30}$/.test(value) ? value : 'unknown';
}

function describeType(value: JsonValue | undefined): string {
  return typeof value === 'string' && /^[A-Za-z]{1,40}$/.test(value) ? `a ${value}` : 'something else';
}
