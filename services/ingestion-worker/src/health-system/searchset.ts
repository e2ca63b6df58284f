import type { CollectionWarning } from '@tributary/contracts';
import {
  type JsonObject,
  type JsonValue,
  type Resource,
  isJsonObject,
  parseJson,
  stringifyJson,
} from '@tributary/fhir-json';
import { UnreadableResponse } from './request-failures';

export interface SearchsetPage {
  resources: CollectedResource[];
  warnings: CollectionWarning[];
  /** Set when the health system reported an error in spite of the successful response. */
  error?: CollectionWarning;
  /** Entries without a readable resource. */
  unreadable: number;
  /** The response was empty, or an OperationOutcome without an error: nothing was found. */
  hasNoBundle?: boolean;
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
 * once. The issues of an OperationOutcome, whatever its search mode, become warnings, or the error of the page. An
 * empty body, and an OperationOutcome instead of a Bundle that reports no error, mean that nothing was found.
 * @throws UnreadableResponse when the body is neither; the message never quotes it
 */
export function readSearchset(body: Buffer): SearchsetPage {
  const page: SearchsetPage = { resources: [], warnings: [], unreadable: 0, next: undefined };
  if (isBlank(body)) return { ...page, hasNoBundle: true };
  const bundle = readObject(body);
  if (bundle['resourceType'] === 'OperationOutcome') {
    page.hasNoBundle = true;
    addIssues(page, bundle);
    return page;
  }
  if (bundle['resourceType'] !== 'Bundle')
    throw new UnreadableResponse(`a Bundle was expected, not ${describeType(bundle['resourceType'])}`);
  page.next = nextOf(bundle);
  const seen = new Set<string>();
  for (const entry of listOf(bundle['entry'])) {
    const resource = isJsonObject(entry) ? entry['resource'] : undefined;
    if (!isResource(resource)) page.unreadable++;
    else if (resource.resourceType === 'OperationOutcome') addIssues(page, resource);
    else addOnce(page.resources, collectedResource(resource), seen);
  }
  return page;
}

/**
 * Parses the response of a read as a page with one resource of this type, or none.
 * @throws UnreadableResponse when the body is not a resource of the type
 */
export function readAsPage(type: string, body: Buffer): SearchsetPage {
  const page: SearchsetPage = { resources: [], warnings: [], unreadable: 0, next: undefined };
  if (isBlank(body)) return page;
  const resource = readResource(body);
  if (resource.resourceType === 'OperationOutcome') addIssues(page, resource);
  else if (resource.resourceType === type) page.resources.push(collectedResource(resource));
  else throw new UnreadableResponse(`the response is not the ${type} that was requested`);
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
 * Codes of issues (https://hl7.org/fhir/R4/valueset-issue-type.html) which mean, without being an error, that the
 * results lack something.
 */
const withheldCodes = new Set([
  'suppressed',
  'security',
  'forbidden',
  'incomplete',
  'timeout',
  'throttled',
  'too-costly',
  'too-long',
  'transient',
  'exception',
  'lock-error',
  'no-store',
]);
/** Codes of issues which say of an empty result that it is empty. */
const emptyCodes = new Set(['not-found', 'informational', 'success']);

/**
 * Adds the issues of an OperationOutcome, by severity and code only: the details can contain anything, even a patient's
 * name.
 */
function addIssues(page: SearchsetPage, outcome: JsonObject): void {
  for (const issue of listOf(outcome['issue']).filter(isJsonObject)) {
    const [severity, code] = [codeOf(issue['severity']), codeOf(issue['code'])];
    const message = `the health system reported: ${severity}, ${code}`;
    if (severity === 'error' || severity === 'fatal') page.error ??= { code: 'error_in_response', message };
    else if (withheldCodes.has(code)) page.warnings.push({ code: 'results_withheld', message });
    else if (severity === 'warning' && !(page.hasNoBundle && emptyCodes.has(code)))
      page.warnings.push({ code: 'health_system_warning', message });
  }
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

function isBlank(body: Buffer): boolean {
  return body.every((byte) => byte <= 0x20);
}

/** @throws UnreadableResponse when the body is not JSON */
export function readJson(body: Buffer): JsonValue {
  try {
    return parseJson(body.toString('utf8'));
  } catch {
    throw new UnreadableResponse('the body is not JSON');
  }
}

function readObject(body: Buffer): JsonObject {
  const value = readJson(body);
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
