import { type JsonObject, type JsonValue, isJsonObject, stringifyJson } from '@tributary/fhir-json';
import { SearchError } from '@tributary/fhir-search';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { pageParameter } from '../../fhir-http/page-tokens';
import { isStrict } from '../../fhir-http/prefer-header';

/** Whether a body is a Parameters resource. */
export function isParameters(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && value['resourceType'] === 'Parameters';
}

/** The parameter of this name in a Parameters resource: its value or resource. */
export function parameterIn(parameters: JsonObject, name: string): JsonValue | undefined {
  const list = parameters['parameter'];
  const found = Array.isArray(list) ? list.find((each) => isJsonObject(each) && each['name'] === name) : undefined;
  if (!isJsonObject(found)) return undefined;
  return found['resource'] ?? valueIn(found)?.value;
}

/** The value of a parameter, and the name of its member, such as `valueQuantity`. */
export function valueIn(parameter: JsonObject): { member: string; value: JsonValue } | undefined {
  const [member, value] = Object.entries(parameter).find(([name]) => name.startsWith('value')) ?? [];
  return member === undefined || value === undefined ? undefined : { member, value };
}

/** The primitive input values of an operation, from the URL query and a posted Parameters resource. */
export async function operationInput(request: FhirRequest, method: 'GET' | 'POST'): Promise<URLSearchParams> {
  if (method === 'GET') return request.query;
  const text = await request.text();
  if (text.trim() === '') return request.query;
  const body = await request.body();
  const input = new URLSearchParams(request.query);
  const list = isParameters(body) ? body['parameter'] : undefined;
  if (!Array.isArray(list)) return input;
  for (const each of list) {
    if (!isJsonObject(each) || typeof each['name'] !== 'string') continue;
    const value = valueIn(each)?.value ?? null;
    if (value !== null && typeof value !== 'object') input.append(each['name'], String(value));
  }
  return input;
}

const generalParameters = ['_format', '_pretty', pageParameter];

/** @throws SearchError in strict handling, for a parameter that the operation does not have */
export function assertKnown(
  request: FhirRequest,
  operation: string,
  input: URLSearchParams,
  known: readonly string[],
): void {
  if (!isStrict(request)) return;
  const unknown = [...input.keys()].find((name) => !known.includes(name) && !generalParameters.includes(name));
  if (unknown !== undefined) throw new SearchError(unknown, 'not-supported', `${operation} has no such parameter`);
}

/**
 * A Parameters resource with one parameter `return`. An empty value is omitted, because FHIR does not allow empty
 * elements.
 */
export function returned(member: string, value: JsonObject): string {
  const isEmpty = Object.keys(value).length === 0;
  return stringifyJson({
    resourceType: 'Parameters',
    ...(isEmpty ? {} : { parameter: [{ name: 'return', [member]: value }] }),
  });
}
