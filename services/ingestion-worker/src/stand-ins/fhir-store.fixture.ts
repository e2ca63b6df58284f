import type { BatchSource, ResourceOutcome } from '@tributary/contracts';
import { isResourceType } from '@tributary/fhir-definitions';
import { type InternalAnswer, type InternalRequest, InternalServer } from './internal-server.fixture';

interface StoredResource {
  text: string;
  version: number;
}

interface StoredRecord {
  /** By Type/id of the source. */
  resources: Map<string, StoredResource>;
  /** Targets that the collection under way has named and the record lacks. */
  awaited: Set<string>;
  settled: number;
}

const awaitedPage = 25;

/** The FHIR store's internal API, in memory: every record exactly as it was sent, by source. */
export class FhirStoreStandIn {
  readonly #records = new Map<string, StoredRecord>();
  server!: InternalServer;
  batches = 0;
  largestBatch = 0;

  static async start(): Promise<FhirStoreStandIn> {
    const standIn = new FhirStoreStandIn();
    standIn.server = await InternalServer.start((request) => standIn.#answer(request));
    return standIn;
  }

  record(userId: number): StoredRecord {
    const known = this.#records.get(String(userId));
    if (known) return known;
    const made = { resources: new Map<string, StoredResource>(), awaited: new Set<string>(), settled: 0 };
    this.#records.set(String(userId), made);
    return made;
  }

  /** The texts of a record, by Type/id. */
  texts(userId: number): Map<string, string> {
    return new Map([...this.record(userId).resources].map(([key, { text }]) => [key, text]));
  }

  #answer({ method, path, query, body }: InternalRequest): InternalAnswer {
    const [, , userId = '', what] = ['', ...path];
    const record = this.record(Number(userId));
    const source = query as unknown as BatchSource;
    if (method === 'POST' && what === 'batches')
      return { status: 200, body: { results: this.#store(record, source, body) } };
    if (method === 'GET' && what === 'unresolved-references')
      return { status: 200, body: awaitedOf(record, query['after']) };
    if (method === 'POST' && what === 'resolve-references') {
      record.settled++;
      record.awaited.clear();
      return { status: 200, body: { reverted: 0 } };
    }
    return { status: 404, body: { success: false, error: 'nothing here', error_code: 'not_found' } };
  }

  #store(record: StoredRecord, source: BatchSource, body: string): ResourceOutcome[] {
    const lines = body.split('\n').filter((line) => line !== '');
    this.batches++;
    this.largestBatch = Math.max(this.largestBatch, lines.length);
    const outcomes = lines.map((line) => storeLine(record, source, line));
    for (const line of lines)
      for (const target of targetsOf(line, source)) if (!record.resources.has(target)) record.awaited.add(target);
    return outcomes;
  }
}

function storeLine(record: StoredRecord, source: BatchSource, line: string): ResourceOutcome {
  const { resourceType: type, id } = JSON.parse(line) as { resourceType?: string; id?: string };
  if (!type || !isResourceType(source.release, type))
    return { outcome: 'failed', reason: 'no resource type of the release' };
  if (!id) return { outcome: 'failed', type, reason: 'the resource has no id' };
  const key = `${type}/${id}`;
  const known = record.resources.get(key);
  record.awaited.delete(key);
  if (known?.text === line) return { outcome: 'unchanged', type, source_id: id };
  record.resources.set(key, { text: line, version: (known?.version ?? 0) + 1 });
  return { outcome: 'stored', type, source_id: id };
}

/** The resources of the same source that a line refers to, attachments included. */
export function targetsOf(
  line: string,
  { release, fhir_base_url: base }: Pick<BatchSource, 'release' | 'fhir_base_url'>,
): string[] {
  const targets: string[] = [];
  for (const [, name, text = ''] of line.matchAll(/"(reference|url)":"([^"]+)"/g)) {
    const local = text.startsWith(`${base}/`) ? text.slice(base.length + 1) : text;
    const [, type, id] = /^([A-Z][A-Za-z]+)\/([^/?#|\s]+)(?:\/_history\/\w+)?$/.exec(local) ?? [];
    if (type && id && isResourceType(release, type) && (name === 'reference' || type === 'Binary'))
      targets.push(`${type}/${id}`);
  }
  return targets;
}

function awaitedOf(record: StoredRecord, after: string | undefined): { references: string[]; next?: string } {
  const sorted = [...record.awaited].filter((target) => !record.resources.has(target)).sort();
  const page = sorted.filter((target) => after === undefined || target > after).slice(0, awaitedPage);
  const last = page.at(-1);
  return { references: page, ...(last !== undefined && page.length === awaitedPage ? { next: last } : {}) };
}
