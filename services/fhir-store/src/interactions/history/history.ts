import { convertedType } from '@tributary/fhir-conversion';
import { stringifyJson } from '@tributary/fhir-json';
import {
  type HistoryVersion,
  type HistoryQuery,
  isResourceId,
  typeCodeOf,
  typeOfCode,
} from '@tributary/record-storage';
import { etagOf } from '@tributary/service-kit';
import { z } from 'zod';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import { type FhirRequest, isConvertedToR4 } from '../../fhir-http/fhir-request';
import { badRequest, notFound, outcomeOf } from '../../fhir-http/fhir-error';
import { BundleWriter } from '../../fhir-http/bundle-writer';
import { Paging } from '../../fhir-http/paging';
import { parseResource } from '../../resources/resource-content';
import { typeCodesOf } from '../search/evaluate/search-filter';
import { dateParameter } from '../../fhir-http/date-parameter';
import { convertResource } from '../conversion/resource-in-r4';

const pageState = z.object({
  query: z.string(),
  after: z.tuple([z.string(), z.string(), z.string(), z.string()]).readonly(),
  total: z.number().optional(),
});

const defaultCount = 20;
const maxCount = 1000;

/**
 * `GET /{release}/{Type}/{id}/_history` (https://hl7.org/fhir/R4/http.html#history).
 * @throws FhirError 404 without the resource
 */
export async function instanceHistory(request: FhirRequest, type: string, id: string): Promise<FhirResponse> {
  if (!isResourceId(id)) throw notFound(type);
  const typeCode = typeCodeOf(request.release, type);
  if (!(await request.record.read(typeCode, id))) throw notFound(type);
  return history(request, `${type}/${id}`, { typeCode, id });
}

/** `GET /{release}/{Type}/_history` (https://hl7.org/fhir/R4/http.html#history). */
export function typeHistory(request: FhirRequest, type: string): Promise<FhirResponse> {
  return history(request, type, { typeCodes: typeCodesOf(request.release, [type]) });
}

/** `GET /{release}/_history` (https://hl7.org/fhir/R4/http.html#history). */
export function systemHistory(request: FhirRequest): Promise<FhirResponse> {
  return history(request, '', { typeCodes: typeCodesOf(request.release, []) });
}

/**
 * One page of versions, newest first.
 * @throws FhirError 400 for an invalid parameter, 410 for an outdated paging link
 */
async function history(request: FhirRequest, path: string, of: HistoryQuery['scope']): Promise<FhirResponse> {
  const address = `${path === '' ? '' : `${path}/`}_history`;
  const paging = new Paging(request, address, pageState);
  const { state } = paging;
  const query = state ? new URLSearchParams(state.query) : request.query;
  const { count, since, at, applied } = readQuery(query);
  const page = await request.record.history({
    scope: of,
    limit: count,
    maxBytes: request.contentLimits.pageBytes,
    total: state === undefined,
    ...(since === undefined ? {} : { since }),
    ...(at ? { at } : {}),
    ...(state ? { after: state.after } : {}),
  });
  const total = state ? state.total : page.total;
  const bundle = new BundleWriter(
    'history',
    [paging.self(applied), ...paging.linkTo('next', page.next && { query: applied, after: page.next, total })],
    total,
  );
  for (const entry of page.versions) addEntry(request, bundle, entry);
  return { status: 200, body: bundle.end(), access: { counts: bundle.counts } };
}

function addEntry(request: FhirRequest, bundle: BundleWriter, entry: HistoryVersion): void {
  const { id, version, lastUpdated } = entry;
  const { type, json, outcome } = renderVersion(request, entry);
  const method = entry.json === undefined ? 'DELETE' : version === 1 ? 'POST' : 'PUT';
  const requestMember = `"request":{"method":"${method}","url":"${method === 'POST' ? type : `${type}/${id}`}"}`;
  const status = entry.json === undefined ? '204 No Content' : version === 1 ? '201 Created' : '200 OK';
  const responseMember = `"response":{"status":"${status}","etag":"${etagOf(version).replaceAll('"', '\\"')}","lastModified":"${new Date(lastUpdated).toISOString()}"${outcome === undefined ? '' : `,"outcome":${outcome}`}}`;
  // Earlier releases have no Bundle.entry.response in a history.
  const members = request.responseRelease === 'r4' ? `${requestMember},${responseMember}` : requestMember;
  const url = `${request.base}/${type}/${id}`;
  if (json === undefined) bundle.entry(`"fullUrl":"${url}",${members}`);
  else bundle.resource(url, json, members);
}

/**
 * A stored version, converted to R4 if the request requires it. A deletion has no JSON, and neither has a version that
 * cannot be converted: an OperationOutcome says why.
 */
function renderVersion(
  request: FhirRequest,
  { typeCode, json }: HistoryVersion,
): { type: string; json: Buffer | string | undefined; outcome?: string } {
  const type = typeOfCode(typeCode);
  if (!isConvertedToR4(request)) return { type, json };
  if (json === undefined) return { type: convertedType(type), json };
  request.parsing?.take(json.length);
  const { resource, issue } = convertResource(request, parseResource(json));
  if (resource) return { type: resource.resourceType, json: stringifyJson(resource) };
  const outcome = stringifyJson(outcomeOf(request.responseRelease, [{ severity: 'warning', ...issue }]));
  return { type: convertedType(type), json: undefined, outcome };
}

function readQuery(query: URLSearchParams): {
  count: number;
  since: number | undefined;
  at: { low: number; high: number } | undefined;
  applied: string;
} {
  const [count, since, at] = [query.get('_count'), query.get('_since'), query.get('_at')];
  if (count !== null && !/^[1-9]\d{0,8}$/.test(count))
    throw badRequest('_count takes a positive whole number', 'value');
  const applied = new URLSearchParams(
    [...query].filter(([name]) => name === '_count' || name === '_since' || name === '_at'),
  );
  return {
    count: Math.min(count === null ? defaultCount : Number(count), maxCount),
    since: since === null ? undefined : dateParameter('_since', since).low,
    at: at === null ? undefined : atParameter(at),
    applied: applied.toString(),
  };
}

/** `HistoryQuery.at` excludes its upper end. */
function atParameter(text: string): { low: number; high: number } {
  const { low, high } = dateParameter('_at', text);
  return { low, high: high + 1 };
}
