import { type JsonObject, type JsonValue, type Resource, isJsonObject, parseJson, stringifyJson } from '@tributary/fhir-json';

export interface SearchsetPage {
  /** The resources of the page, each as one line of JSON, decimals with their text. */
  lines: string[];
  /** References the matches and includes stand at: Type/id, or the type alone where there is no id. */
  warnings: string[];
  /** Entries that could not be read as a resource. */
  unreadable: number;
  next: string | undefined;
}

/** The body of an answer is not what was asked for. */
export class NotABundle extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotABundle';
  }
}

/**
 * Reads one page of a search: matches and included resources as lines; an OperationOutcome, whatever its search mode, becomes a warning.
 * @throws NotABundle when the body is no Bundle; the message never quotes it
 */
export function readSearchset(body: Buffer): SearchsetPage {
  const bundle = readObject(body);
  if (bundle['resourceType'] !== 'Bundle') throw new NotABundle(`a Bundle was expected, not ${describeType(bundle['resourceType'])}`);
  const page: SearchsetPage = { lines: [], warnings: [], unreadable: 0, next: nextOf(bundle) };
  for (const entry of listOf(bundle['entry'])) {
    const resource = isJsonObject(entry) ? entry['resource'] : undefined;
    if (!isResource(resource)) page.unreadable++;
    else if (resource.resourceType === 'OperationOutcome') page.warnings.push(...outcomeWarnings(resource));
    else page.lines.push(stringifyJson(resource));
  }
  return page;
}

/**
 * Reads one resource, as a read by id gives it.
 * @throws NotABundle when the body is no resource
 */
export function readResource(body: Buffer): Resource {
  const resource = readObject(body);
  if (!isResource(resource)) throw new NotABundle('a resource was expected');
  return resource;
}

/** The issues of an OperationOutcome by their codes only: details can hold anything, a patient's name as well. */
export function outcomeWarnings(outcome: JsonObject): string[] {
  const issues = listOf(outcome['issue']).filter(isJsonObject);
  const texts = issues.filter((issue) => issue['severity'] !== 'information').map((issue) => `the health system says: ${word(issue['severity'])}, ${word(issue['code'])}`);
  return [...new Set(texts)];
}

function readObject(body: Buffer): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(body.toString('utf8'));
  } catch {
    throw new NotABundle('the body is not JSON');
  }
  if (!isJsonObject(value)) throw new NotABundle('the body is not a JSON object');
  return value;
}

function nextOf(bundle: JsonObject): string | undefined {
  const link = listOf(bundle['link']).filter(isJsonObject).find((candidate) => candidate['relation'] === 'next');
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
