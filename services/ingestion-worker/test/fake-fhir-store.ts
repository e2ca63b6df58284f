import { createHash } from 'node:crypto';
import {
  type BatchSource,
  type ResourceOutcome,
  type SourceReferences,
  attachmentHeaders,
  sourceDeletion,
} from '@tributary/contracts';
import { isResourceType } from '@tributary/fhir-definitions';
import { type InternalResponse, type InternalRequest, FakeInternalServer } from './fake-internal-server';

interface StoredResource {
  json: string;
  version: number;
  lastUpdated: number;
}

interface StoredRecord {
  /** By `Type/id` of the source. */
  resources: Map<string, StoredResource>;
  /** Targets of references that the record lacks. */
  unresolved: Set<string>;
  resolutions: number;
  /** What was deleted, by `Type/id` of the source; with a repetition for each deletion. */
  deleted: string[];
}

const pageSize = 25;

/** The internal API of fhir-store, in memory. Keeps every resource as it was sent. */
export class FakeFhirStore {
  readonly #records = new Map<string, StoredRecord>();
  /** A clock that advances with each batch. */
  #now = 1_700_000_000_000;
  server!: FakeInternalServer;
  batches = 0;
  largestBatch = 0;
  /** The sizes of attachments that came outside of batches. */
  readonly contentBytes: number[] = [];
  /** Whether such an attachment is too large, or there is nowhere to store it. */
  isContentRefused = false;
  /** Whether a call fails after its effect. @param what the last part of its path */
  interrupt: (what: string) => boolean = () => false;

  static async start(): Promise<FakeFhirStore> {
    const fake = new FakeFhirStore();
    fake.server = await FakeInternalServer.start((request) => {
      const response = fake.#respond(request);
      if (!fake.interrupt(request.path[2] ?? '')) return response;
      return { status: 503, body: { success: false, error: 'interrupted', error_code: 'unavailable' } };
    });
    return fake;
  }

  record(userId: number): StoredRecord {
    const known = this.#records.get(String(userId));
    if (known) return known;
    const made = {
      resources: new Map<string, StoredResource>(),
      unresolved: new Set<string>(),
      resolutions: 0,
      deleted: [],
    };
    this.#records.set(String(userId), made);
    return made;
  }

  /** The JSON of each resource of a record, by `Type/id`. */
  resourcesOf(userId: number): Map<string, string> {
    return new Map([...this.record(userId).resources].map(([key, { json }]) => [key, json]));
  }

  #respond({ method, path, query, headers, content, body }: InternalRequest): InternalResponse {
    const [, , userId = '', what] = ['', ...path];
    const record = this.record(Number(userId));
    const source = query as unknown as BatchSource;
    if (method === 'POST' && what === 'attachments') return this.#storeContent(record, source, headers, content);
    if (method === 'POST' && what === 'batches')
      return { status: 200, body: { results: this.#store(record, source, body), now: this.#now } };
    if (method === 'GET' && what === 'unresolved-references')
      return { status: 200, body: unresolvedOf(record, query['after']) };
    if (method === 'POST' && what === 'resolve-references') {
      record.resolutions++;
      record.unresolved.clear();
      return { status: 200, body: { reverted: 0 } };
    }
    if (method === 'POST' && what === 'source-references')
      return { status: 200, body: sourceReferencesOf(record, query, body) };
    if (method === 'POST' && what === 'source-deletions') {
      const results = linesOf(body).map((line) => deleteResource(record, line));
      return { status: 200, body: { results } };
    }
    return { status: 404, body: { success: false, error: 'not found', error_code: 'not_found' } };
  }

  /** Keeps of the content what tells it from another one. */
  #storeContent(record: StoredRecord, source: BatchSource, headers: unknown, content: Buffer): InternalResponse {
    if (this.isContentRefused)
      return { status: 413, body: { success: false, error: 'not stored', error_code: 'too_large' } };
    const { 'x-attachment-source-id': id, 'x-attachment-media-type': contentType } = attachmentHeaders.parse(headers);
    this.contentBytes.push(content.length);
    const digest = createHash('sha256').update(content).digest('base64');
    const json = JSON.stringify({ resourceType: 'Binary', id, contentType, data: digest });
    return { status: 200, body: storeResource(record, source, json, ++this.#now) };
  }

  #store(record: StoredRecord, source: BatchSource, body: string): ResourceOutcome[] {
    const batch = linesOf(body);
    if (batch.length === 0) return [];
    this.#now++;
    this.batches++;
    this.largestBatch = Math.max(this.largestBatch, batch.length);
    const outcomes = batch.map((json) => storeResource(record, source, json, this.#now));
    for (const json of batch)
      for (const target of targetsOf(json, source))
        if (!record.resources.has(keyOfTarget(target))) record.unresolved.add(target);
    return outcomes;
  }
}

function storeResource(record: StoredRecord, source: BatchSource, json: string, now: number): ResourceOutcome {
  const { resourceType: type, id } = JSON.parse(json) as { resourceType?: string; id?: string };
  if (!type || !isResourceType(source.release, type))
    return { outcome: 'failed', reason: 'no resource type of the release' };
  if (!id) return { outcome: 'failed', type, reason: 'the resource has no id' };
  if (id.length > 255 && !isAddress(id))
    return { outcome: 'failed', type, reason: 'the id of the resource is too long' };
  const key = keyOfTarget(type === 'Binary' && isAddress(id) ? id : `${type}/${id}`);
  const known = record.resources.get(key);
  record.unresolved.delete(key);
  const elsewhere = attachmentsOf(json, source).filter((text) => isAddress(text) && !isOwn(text, source)).length;
  const common = { type, source_id: id, id: idOf(key), ...(elsewhere > 0 ? { attachments_elsewhere: elsewhere } : {}) };
  if (known?.json === json)
    return { outcome: 'unchanged', ...common, version: known.version, last_updated: known.lastUpdated };
  const deletions = record.deleted.filter((each) => each === key).length;
  const version = (known?.version ?? deletions * 2) + 1;
  record.resources.set(key, { json, version, lastUpdated: now });
  return { outcome: 'stored', created: known === undefined, ...common, version, last_updated: now };
}

/** The addresses of attachments; a relative one that names no Binary is resolved. */
function attachmentsOf(json: string, { fhir_base_url: base }: Pick<BatchSource, 'fhir_base_url'>): string[] {
  const texts = [...json.matchAll(/"attachment":\{[^{}]*"url":"([^"]+)"/g)].map(([, text = '']) => text);
  return texts.map((text) => (/^(\/|\w+:|Binary\/[^/]+$)/.test(text) ? text : new URL(text, `${base}/`).href));
}

function isAddress(text: string): boolean {
  return /^(https?:\/)?\//.test(text);
}

function isOwn(text: string, { fhir_base_url: base }: Pick<BatchSource, 'fhir_base_url'>): boolean {
  return new URL(text, base).origin === new URL(base).origin;
}

/** The key of a target; the addresses that the sandbox makes end with the id of the Binary. */
function keyOfTarget(target: string): string {
  return isAddress(target) ? `Binary/${new URL(target, 'http://localhost').pathname.split('/').at(-1)}` : target;
}

/** The resources of the same source that a resource refers to, attachments included. */
export function targetsOf(
  json: string,
  { release, fhir_base_url: base }: Pick<BatchSource, 'release' | 'fhir_base_url'>,
): string[] {
  const targets: string[] = [];
  for (const [, name, text = ''] of json.matchAll(/"(reference|url)":"([^"]+)"/g)) {
    const local = text.startsWith(`${base}/`) ? text.slice(base.length + 1) : text;
    const [, type, id] = /^([A-Z][A-Za-z]+)\/([^/?#|\s]+)(?:\/_history\/\w+)?$/.exec(local) ?? [];
    if (type && id && isResourceType(release, type) && (name === 'reference' || type === 'Binary'))
      targets.push(`${type}/${id}`);
  }
  const addresses = attachmentsOf(json, { fhir_base_url: base }).filter(
    (text) => isAddress(text) && isOwn(text, { fhir_base_url: base }),
  );
  const isResource = (text: string): boolean =>
    targets.includes(text.slice(base.length + 1).replace(/\/_history\/\w+$/, ''));
  return [...targets, ...addresses.filter((text) => !isResource(text))];
}

function unresolvedOf(record: StoredRecord, after: string | undefined): { references: string[]; next?: string } {
  const sorted = [...record.unresolved].filter((target) => !record.resources.has(keyOfTarget(target))).sort();
  const page = sorted.filter((target) => after === undefined || target > after).slice(0, pageSize);
  const last = page.at(-1);
  return { references: page, ...(last !== undefined && page.length === pageSize ? { next: last } : {}) };
}

function linesOf(body: string): string[] {
  return body.split('\n').filter((line) => line !== '');
}

/** The id in the record of a resource, by `Type/id` of the source. */
function idOf(key: string): string {
  const digest = createHash('sha256').update(key).digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function sourceReferencesOf(
  { resources }: StoredRecord,
  { type = '', patient_id: patientId, after = '' }: Record<string, string | undefined>,
  body: string,
): SourceReferences {
  const without = new Set(linesOf(body));
  const isMember = (json: string): boolean => patientId === undefined || isAbout(json, `Patient/${patientId}`);
  const held = [...resources]
    .filter(([key, { json }]) => key.startsWith(`${type}/`) && isMember(json) && !without.has(idOf(key)))
    .map(([key, { version }]) => ({ id: idOf(key), reference: key, version, last_updated: Date.now() }))
    .filter(({ id }) => id > after)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const page = held.slice(0, pageSize);
  const last = page.at(-1);
  return { references: page, ...(last && held.length > pageSize ? { next: last.id } : {}) };
}

interface Referring {
  reference?: string;
}

function isAbout(json: string, patient: string): boolean {
  const { subject, patient: named, beneficiary } = JSON.parse(json) as Record<string, Referring | Referring[]>;
  return [subject, named, beneficiary].flat().some((member) => member?.reference?.endsWith(patient));
}

function deleteResource(record: StoredRecord, line: string): 'deleted' | 'absent' | 'changed' {
  const { reference, version } = sourceDeletion.parse(JSON.parse(line));
  const known = record.resources.get(reference);
  if (!known) return 'absent';
  if (known.version !== version) return 'changed';
  record.resources.delete(reference);
  record.deleted.push(reference);
  return 'deleted';
}
