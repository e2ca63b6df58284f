import { bearer, http } from '../suite/http';
import type { Ready } from '../suite/ready';
import { type Release, type Resource, sampleOf, sampleTypes } from '../suite/sample-resources';
import { RouteCheck } from './check-route';
import { type Operation, operationsOf } from './operations';
import type { Party, World } from './parties';
import type { Call, FormerIdentifiers, Identifiers, RouteCase } from './route-case';

/** What a case needs of an operation: the type that it is called with. */
interface Subject {
  type: string;
  /** A valid resource of the type. */
  resource: Resource;
}

/** A case of an operation, without what is the same for all of them. */
type FhirCase = Omit<RouteCase, 'operationId'>;

/** What an operation is called with, such as `GET /{type}/{id}`; those on files are cases of those on resources. */
function kindOf({ method, path }: Operation): string {
  return `${method} ${path.replace(/^\/\w+/, '').replace(/^\/Binary/, '/{type}') || '/'}`;
}

/** The types that an operation is called with: that of its path, or all samples. Only a patient has a compartment. */
function typesOf({ path }: Operation): string[] {
  if (path.includes('/Binary')) return ['Binary'];
  return path.includes('/{type}') && !path.includes('{member}') ? [...sampleTypes] : ['Patient'];
}

/** Creates resources of the owner, which all have the mark. */
export class FhirResources {
  constructor(
    private readonly ready: Ready,
    private readonly world: World,
  ) {}

  /** The resource with the mark as a tag. */
  marked(resource: Resource): Resource {
    return { ...resource, meta: { tag: [{ system: 'urn:isolation', code: this.world.mark }] } };
  }

  async create({ userToken }: Party, release: Release, resource: Resource): Promise<Identifiers> {
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
  'GET /$counts': () => ({}),
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
 */
function fhirCase(
  kind: string,
  release: Release,
  subject: Subject,
  resources: FhirResources,
  patient: Resource,
): FhirCase {
  const own = ofRecord[kind];
  if (own) return { request: () => own(subject) };
  const make = (from: Release, resource: Resource): FormerIdentifiers['make'] => {
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

/** The operations of FHIR in a release. */
export class FhirOperations {
  private constructor(
    private readonly ready: Ready,
    private readonly world: World,
    readonly release: Release,
    /** Those that everyone may use. */
    readonly open: readonly Operation[],
    private readonly closed: readonly Operation[],
  ) {}

  static async read(ready: Ready, world: World, release: Release): Promise<FhirOperations> {
    const documented = await operationsOf(`${ready.base_url}/fhir-store/openapi.json`);
    const operations = documented.map((each) => ({ ...each, path: each.path.replace('{release}', release) }));
    const open = operations.filter(({ security }) => security.length === 0);
    const closed = operations.filter(({ security }) => security.length > 0);
    return new FhirOperations(ready, world, release, open, closed);
  }

  kinds(): string[] {
    return [...new Set(this.closed.map(kindOf))];
  }

  /** A check of each operation of a kind with each of its types. */
  checksOf(kind: string): RouteCheck[] {
    const resources = new FhirResources(this.ready, this.world);
    const patient = sampleOf(this.release, 'Patient');
    return this.closed
      .filter((operation) => kindOf(operation) === kind)
      .flatMap((operation) =>
        typesOf(operation).map((type) => {
          const subject = { type, resource: sampleOf(this.release, type) };
          const route = fhirCase(kind, this.release, subject, resources, patient);
          const operationId = `${operation.operationId} of ${type}`;
          return new RouteCheck(
            this.world,
            this.ready.base_url,
            { ...operation, operationId },
            { ...route, operationId },
          );
        }),
      );
  }
}
