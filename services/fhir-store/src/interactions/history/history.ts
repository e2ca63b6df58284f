import type { HistoryEntry, HistoryQuery } from '@tributary/record-storage';
import { typeCodeOf } from '@tributary/record-storage';
import { z } from 'zod';
import type { Answer } from '../../fhir-http/fhir-response';
import { etagOf } from '../../fhir-http/fhir-response';
import type { Call } from '../../fhir-http/fhir-request';
import { badRequest, notFound } from '../../fhir-http/fhir-error';
import { pageParameter } from '../../fhir-http/page-tokens';
import { isResourceId } from '../../resources/resource-id';
import { BundleText, pageUrl } from '../../fhir-http/bundle-writer';
import { kindsOf } from '../search/search-filter';
import { pageBytes } from '../search/page-limit';
import { dateParameter } from '../../fhir-http/date-parameter';
import { shownVersion } from './render-version';

const pageState = z.object({
  query: z.string(),
  after: z.tuple([z.string(), z.string(), z.string(), z.string()]).readonly(),
  total: z.number().optional(),
});

const defaultCount = 20;
const mostCount = 1000;

/** `GET /{release}/{Type}/{id}/_history` */
export async function instanceHistory(call: Call, type: string, id: string): Promise<Answer> {
  if (!isResourceId(id)) throw notFound(type);
  const typeCode = typeCodeOf(call.release, type);
  if (!(await call.record.read(typeCode, id))) throw notFound(type);
  return history(call, `${type}/${id}`, { typeCode, id });
}

/** `GET /{release}/{Type}/_history` */
export function typeHistory(call: Call, type: string): Promise<Answer> {
  return history(call, type, { typeCodes: kindsOf(call.release, [type]) });
}

/** `GET /{release}/_history` */
export function systemHistory(call: Call): Promise<Answer> {
  return history(call, '', { typeCodes: kindsOf(call.release, []) });
}

/** One page of versions, newest first. */
async function history(call: Call, place: string, of: HistoryQuery['of']): Promise<Answer> {
  const address = `${place === '' ? '' : `${place}/`}_history`;
  const sealedFor = `${call.release}/${address}`;
  const token = call.query.get(pageParameter);
  const state = token === null ? undefined : call.pages.open(token, call.record.userId, sealedFor, pageState);
  const query = state ? new URLSearchParams(state.query) : call.query;
  const { count, since, at, applied } = readQuery(query);
  const page = await call.record.history({
    of,
    limit: count,
    mostBytes: pageBytes,
    total: state === undefined,
    ...(since === undefined ? {} : { since }),
    ...(at ? { at } : {}),
    ...(state ? { after: state.after } : {}),
  });
  const total = state ? state.total : page.total;
  const next =
    page.next &&
    call.pages.seal(
      { query: applied, after: page.next, total } satisfies z.infer<typeof pageState>,
      call.record.userId,
      sealedFor,
    );
  const bundle = new BundleText(
    'history',
    [
      { relation: 'self', url: pageUrl(call, address, token === null ? applied : `${pageParameter}=${token}`) },
      ...(next === undefined
        ? []
        : [{ relation: 'next' as const, url: pageUrl(call, address, `${pageParameter}=${next}`) }]),
    ],
    total,
  );
  for (const entry of page.entries) addEntry(call, bundle, entry);
  return { status: 200, body: bundle.end() };
}

function addEntry(call: Call, bundle: BundleText, entry: HistoryEntry): void {
  const { id, version, lastUpdated } = entry;
  const { type, line, outcome } = shownVersion(call, entry);
  const method = entry.line === undefined ? 'DELETE' : version === 1 ? 'POST' : 'PUT';
  const request = `"request":{"method":"${method}","url":"${method === 'POST' ? type : `${type}/${id}`}"}`;
  const status = entry.line === undefined ? '204 No Content' : version === 1 ? '201 Created' : '200 OK';
  const response = `"response":{"status":"${status}","etag":"${etagOf(version).replaceAll('"', '\\"')}","lastModified":"${new Date(lastUpdated).toISOString()}"${outcome === undefined ? '' : `,"outcome":${outcome}`}}`;
  // Only r4 lets a history say what the answers were.
  const members = call.shownRelease === 'r4' ? `${request},${response}` : request;
  const url = `${call.base}/${type}/${id}`;
  if (line === undefined) bundle.entry(`"fullUrl":"${url}",${members}`);
  else bundle.resource(url, line, members);
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
    count: Math.min(count === null ? defaultCount : Number(count), mostCount),
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
