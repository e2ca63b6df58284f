import {
  type JsonObject,
  type JsonValue,
  type Resource,
  isJsonObject,
  parseJson,
  stringifyJson,
} from '@tributary/fhir-json';
import { UnreadableAnswer } from '../health-system/health-system-unreachable';

export interface SearchsetPage {
  resources: CollectedLine[];
  warnings: string[];
  /** Entries that could not be read as a resource. */
  unreadable: number;
  next: string | undefined;
}

/** A resource as one line of JSON, decimals with their text. */
export interface CollectedLine {
  /** `Type/id`, with what it has of an id. */
  key: string;
  line: string;
}

/**
 * Reads one page of a search: matches and included resources as lines, each once; an OperationOutcome, whatever its search mode, becomes a warning.
 * @throws UnreadableAnswer when the body is no Bundle; the message never quotes it
 */
export function readSearchset(body: Buffer): SearchsetPage {
  const bundle = readObject(body);
  if (bundle['resourceType'] !== 'Bundle')
    throw new UnreadableAnswer(`a Bundle was expected, not ${describeType(bundle['resourceType'])}`);
  const page: SearchsetPage = { resources: [], warnings: [], unreadable: 0, next: nextOf(bundle) };
  const seen = new Set<string>();
  for (const entry of listOf(bundle['entry'])) {
    const resource = isJsonObject(entry) ? entry['resource'] : undefined;
    if (!isResource(resource)) page.unreadable++;
    else if (resource.resourceType === 'OperationOutcome') page.warnings.push(...outcomeWarnings(resource));
    else addOnce(page.resources, collectedLine(resource), seen);
  }
  return page;
}

/**
 * Reads one resource, as a read by id gives it.
 * @throws UnreadableAnswer when the body is no resource
 */
export function readResource(body: Buffer): Resource {
  const resource = readObject(body);
  if (!isResource(resource)) throw new UnreadableAnswer('a resource was expected');
  return resource;
}

/** The issues of an OperationOutcome by their codes only: details can hold anything, a patient's name as well. */
export function outcomeWarnings(outcome: JsonObject): string[] {
  const issues = listOf(outcome['issue']).filter(isJsonObject);
  const texts = issues
    .filter((issue) => issue['severity'] !== 'information')
    .map((issue) => `the health system says: ${word(issue['severity'])}, ${word(issue['code'])}`);
  return [...new Set(texts)];
}

export function collectedLine(resource: Resource): CollectedLine {
  return { key: `${resource.resourceType}/${resource.id ?? ''}`, line: stringifyJson(resource) };
}

/** Some servers repeat entries; one that is the same to the letter counts once. */
function addOnce(resources: CollectedLine[], resource: CollectedLine, seen: Set<string>): void {
  if (seen.has(resource.key) && resources.some(({ line }) => line === resource.line)) return;
  seen.add(resource.key);
  resources.push(resource);
}

function readObject(body: Buffer): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(body.toString('utf8'));
  } catch {
    throw new UnreadableAnswer('the body is not JSON');
  }
  if (!isJsonObject(value)) throw new UnreadableAnswer('the body is not a JSON object');
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

function word(value: JsonValue | undefined): string {
  return typeof value === 'string' && /^[a-z-]{1,30}$/.test(value) ? value : 'unknown';
}

function describeType(value: JsonValue | undefined): string {
  return typeof value === 'string' && /^[A-Za-z]{1,40}$/.test(value) ? `a ${value}` : 'something else';
}
