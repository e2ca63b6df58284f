import { type Json, bearer, http } from '../suite/http';
import type { Ready } from '../suite/ready';
import { RouteCheck } from './check-route';
import { type Operation, operationsOf } from './operations';
import type { Party, World } from './parties';
import type { Call, FormerIdentifiers, Identifiers, RouteCase } from './route-case';

export const releases = ['dstu2', 'stu3', 'r4'] as const;
export type Release = (typeof releases)[number];

/** A resource as the OpenAPI documents give an example of it. */
export type ExampleResource = Record<string, unknown>;

/** What a case needs of an operation: the type that it is called with. */
interface Subject {
  type: string;
  /** The example of the type. */
  resource: ExampleResource;
}

/** A case of an operation, without what is the same for all of them. */
type FhirCase = Omit<RouteCase, 'operationId'>;

/** The operations of all types have one key, such as `GET /{type}/{id}`; those of FHIR and of the record their own. */
function kindOf(method: string, path: string): string {
  return `${method} ${path.replace(/^\/[A-Z]\w+(?=$|\/_search$|\/\{id\}$)/, '/{type}')}`;
}

/**
 * The type that an operation is called with: that of its path, or one that the document has an example of.
 * @param path as in the document
 */
function typeOf(path: string): string {
  const [, named = ''] = /^\/([A-Z]\w+)/.exec(path) ?? [];
  if (named !== '') return named;
  return /^\/\{type\}($|\/_search$|\/\{id\}$)/.test(path) ? 'Basic' : 'Patient';
}

/** Creates resources of the owner, which all have the mark. */
export class FhirResources {
  constructor(
    private readonly ready: Ready,
    private readonly world: World,
  ) {}

  /** The example with the mark as a tag. */
  marked(resource: ExampleResource): ExampleResource {
    return { ...resource, meta: { tag: [{ system: 'urn:isolation', code: this.world.mark }] } };
  }

  async create({ userToken }: Party, release: Release, resource: ExampleResource): Promise<Identifiers> {
    const url = `${this.ready.base_url}/${release}/${String(resource['resourceType'])}`;
    const created = await http('POST', url, { headers: bearer(userToken), json: this.marked(resource) });
    return { id: created.json.text('id') };
  }

  async delete({ userToken }: Party, release: Release, type: string, { id }: Identifiers): Promise<void> {
    await http('DELETE', `${this.ready.base_url}/${release}/${type}/${id}`, { headers: bearer(userToken) });
  }
}

/** The kinds of operations that name nothing: they show the record of the caller. */
const ofRecord: Readonly<Record<string, (subject: Subject) => Call>> = {
  'GET /_history': () => ({}),
  'GET /{type}/_history': ({ type }) => ({ path: { type } }),
  'GET /Patient/$everything': () => ({}),
  'POST /Patient/$everything': () => ({ json: { resourceType: 'Parameters' } }),
  'POST /{type}/$validate': ({ type, resource }) => ({ path: { type }, json: resource }),
  'GET /$meta': () => ({}),
  'GET /{type}/$meta': ({ type }) => ({ path: { type } }),
};

const patch = [{ op: 'add', path: '/language', value: 'en' }];
const asPatch = { 'Content-Type': 'application/json-patch+json' };
const meta = {
  resourceType: 'Parameters',
  parameter: [{ name: 'meta', valueMeta: { tag: [{ system: 'urn:isolation', code: 'reviewed' }] } }],
};

/** What is requested of one resource. `gone` is the status that the owner gets after its deletion. */
interface OfResource {
  call: (id: string, subject: Subject) => Call;
  succeeds?: number;
  refuses?: number;
  isNew?: true;
  gone?: number;
}

const found = { refuses: 200 };
const byId = (id: string): Call => ({ query: { _id: id } });
const ofResource: Readonly<Record<string, OfResource>> = {
  'GET /{type}': { call: byId, ...found },
  'POST /{type}/_search': { call: (id) => ({ form: { _id: id } }), ...found },
  'GET /': { call: byId, ...found },
  'POST /_search': { call: (id) => ({ form: { _id: id } }), ...found },
  'POST /{type}': {
    call: (id, { resource }) => ({ headers: { 'If-None-Exist': `_id=${id}` }, json: resource }),
    refuses: 201,
    isNew: true,
  },
  'PUT /{type}': { call: (id, { resource }) => ({ ...byId(id), json: resource }), refuses: 201, isNew: true },
  'PATCH /{type}': { call: (id) => ({ ...byId(id), headers: asPatch, json: patch }) },
  'DELETE /{type}': { call: byId, ...found },
  'GET /{type}/{id}': { call: () => ({}), gone: 410 },
  // The service has assigned the id, so that no client can use it for another resource.
  'PUT /{type}/{id}': { call: (id, { resource }) => ({ json: { ...resource, id } }), refuses: 409, gone: 201 },
  'PATCH /{type}/{id}': { call: () => ({ headers: asPatch, json: patch }), gone: 410 },
  'DELETE /{type}/{id}': { call: () => ({}), succeeds: 204, refuses: 204 },
  'GET /{type}/{id}/_history': { call: () => ({}), gone: 200 },
  'GET /{type}/{id}/_history/{version}': { call: () => ({ path: { version: '1' } }), gone: 200 },
  'GET /{type}/{id}/{member}': { call: () => ({ path: { member: 'Observation' } }), ...found },
  'POST /{type}/{id}/{member}/_search': {
    call: () => ({ path: { member: 'Observation' }, form: { _count: '5' } }),
    ...found,
  },
  'GET /Patient/{id}/$everything': { call: () => ({}) },
  'POST /Patient/{id}/$everything': { call: () => ({ json: { resourceType: 'Parameters' } }) },
  'GET /{type}/{id}/$validate': { call: () => ({}), gone: 410 },
  'POST /{type}/{id}/$validate': { call: (id, { resource }) => ({ json: { ...resource, id } }), ...found },
  'GET /{type}/{id}/$meta': { call: () => ({}), gone: 410 },
  'POST /{type}/{id}/$meta-add': { call: () => ({ json: meta }), gone: 410 },
  'POST /{type}/{id}/$meta-delete': { call: () => ({ json: meta }), gone: 410 },
  'POST /': {
    call: (id, { type, resource }) => {
      const entry = (method: string, url: string, more: object = {}): object => ({ request: { method, url, ...more } });
      return {
        json: {
          resourceType: 'Bundle',
          type: 'batch',
          entry: [
            entry('GET', `${type}/${id}`),
            entry('GET', `${type}/${id}/_history/1`),
            entry('GET', `${type}?_id=${id}`),
            { ...entry('PUT', `${type}/${id}`), resource: { ...resource, id } },
          ],
        },
      };
    },
    ...found,
    gone: 200,
  },
};

/** The kinds of operations on the observations of a patient. */
const ofPatient: Readonly<Record<string, (id: string) => Call>> = {
  'GET /Observation/$lastn': (id) => ({ query: { patient: `Patient/${id}` } }),
  'POST /Observation/$lastn': (id) => ({
    json: { resourceType: 'Parameters', parameter: [{ name: 'patient', valueString: `Patient/${id}` }] },
  }),
};

/** Every kind of operation that has a case. */
export const knownKinds = [...Object.keys(ofRecord), ...Object.keys(ofResource), ...Object.keys(ofPatient)];

/**
 * The case of an operation.
 * @param kind one of `knownKinds`
 * @param examples the resource of each type that the document of the release gives
 */
function fhirCase(
  kind: string,
  release: Release,
  subject: Subject,
  resources: FhirResources,
  patient: ExampleResource,
): FhirCase {
  const own = ofRecord[kind];
  if (own) return { request: () => own(subject) };
  const make = (from: Release, resource: ExampleResource): FormerIdentifiers['make'] => {
    return (owner) => resources.create(owner, from, resource);
  };
  const ofOwner = ofPatient[kind];
  if (ofOwner) return { make: make(release, patient), request: ({ id }) => ofOwner(String(id)), refuses: 200 };
  const operation = ofResource[kind];
  if (!operation) throw new Error(`there is no case for ${kind}`);
  const { call, gone, ...rest } = operation;
  const { type, resource } = subject;
  return {
    ...rest,
    make: make(release, resource),
    request: (identifiers) => {
      const id = String(identifiers['id']);
      const sent = call(id, subject);
      return { ...sent, path: { type, id, ...sent.path } };
    },
    deleted: {
      ...(gone === undefined ? {} : { status: gone }),
      make: async (owner) => {
        const identifiers = await resources.create(owner, release, resource);
        await resources.delete(owner, release, type, identifiers);
        return identifiers;
      },
    },
    otherRelease: {
      make: make(release === 'r4' ? 'dstu2' : 'r4', { resourceType: 'Patient', birthDate: '1980-01-02' }),
    },
  };
}

/** The operations of a release, and the examples that their document gives. */
export class FhirOperations {
  private constructor(
    private readonly world: World,
    private readonly resources: FhirResources,
    readonly release: Release,
    private readonly base: string,
    /** Those that everyone may use. */
    readonly open: readonly Operation[],
    private readonly closed: readonly Operation[],
    private readonly document: Json,
  ) {}

  static async read(ready: Ready, world: World, release: Release): Promise<FhirOperations> {
    const base = `${ready.base_url}/${release}`;
    const operations = await operationsOf(`${base}/openapi.json`);
    const open = operations.filter(({ security }) => security.length === 0);
    const closed = operations.filter(({ security }) => security.length > 0);
    const { json } = await http('GET', `${base}/openapi.json`);
    return new FhirOperations(world, new FhirResources(ready, world), release, base, open, closed, json);
  }

  kinds(): string[] {
    return [...new Set(this.closed.map(({ method, path }) => kindOf(method, path)))];
  }

  exampleOf(type: string): ExampleResource {
    return this.document.at('components', 'examples', type, 'value') as ExampleResource;
  }

  /** A check of each operation of a kind. */
  checksOf(kind: string): RouteCheck[] {
    return this.closed
      .filter(({ method, path }) => kindOf(method, path) === kind)
      .map((operation) => {
        const type = typeOf(operation.path);
        const subject = { type, resource: this.exampleOf(type) };
        const route = fhirCase(kind, this.release, subject, this.resources, this.exampleOf('Patient'));
        return new RouteCheck(this.world, this.base, operation, { ...route, operationId: operation.operationId });
      });
  }
}
