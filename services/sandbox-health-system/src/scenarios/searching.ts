import { atMost, changeSearchParameters, changeTypes, reads, refuse, searches } from './hooks';
import { scenariosOf, type Capabilities, type Hook } from './scenario';

/** Refuses first pages of more than a number of entries, or any `_count`. */
function refuseCountOver(largest: number, status: number, code = 'invalid', requests = searches()): Hook<'before'> {
  return refuse(
    (exchange) => requests(exchange) && Number(exchange.parameters.get('_count') ?? 0) > largest,
    status,
    code,
    'the request cannot be processed',
  );
}

const everythingDefinition = 'http://hl7.org/fhir/OperationDefinition/Patient-everything';

/** Declares the operation in the capability statement of each release. */
function declareEverything(document: Capabilities): Capabilities {
  const isR4 = String(document['fhirVersion']).startsWith('4');
  if (isR4) {
    const operation = { name: 'everything', definition: everythingDefinition };
    return changeTypes((resource) =>
      resource.type === 'Patient' ? { ...resource, operation: [operation] } : resource,
    )(document);
  }
  const operation = { name: 'everything', definition: { reference: everythingDefinition } };
  return { ...document, rest: document.rest.map((rest) => ({ ...rest, operation: [operation] })) };
}

export const searching = scenariosOf('Searching', {
  'count-refused': {
    description: 'Answers 400 to searches with a _count over 100.',
    before: refuseCountOver(100, 400),
  },
  'count-forbidden': {
    description: 'Answers 403 to searches with a _count over 100.',
    before: refuseCountOver(100, 403),
  },
  'count-over-50-refused': {
    description: 'Answers 422 to searches with a _count over 50.',
    before: refuseCountOver(50, 422),
  },
  'count-unsupported': {
    description: 'Answers 400 to searches with _count.',
    before: refuseCountOver(0, 400),
  },
  'large-pages-time-out': {
    description:
      'Answers 504 to searches of Observation with a _count over 50, as a gateway whose time limit has passed.',
    before: refuseCountOver(50, 504, 'timeout', searches('Observation')),
  },
  everything: {
    description: 'Offers Patient/{id}/$everything, ten entries a page.',
    everything: true,
    capabilities: declareEverything,
    pageSize: atMost(10),
  },
  'everything-broken': {
    description: 'Declares Patient/{id}/$everything, and answers it with 500.',
    everything: true,
    capabilities: declareEverything,
    before: refuse(({ interaction }) => interaction === 'everything', 500, 'exception', 'out of memory'),
  },
  'last-updated-ignored': {
    description: 'Accepts _lastUpdated and ignores it.',
    ignores: ['_lastUpdated'],
  },
  'last-updated-refused': {
    description: 'Does not declare _lastUpdated, and answers it with 400.',
    capabilities: changeSearchParameters((_type, declared) => declared.filter(({ name }) => name !== '_lastUpdated')),
    before: refuse(
      ({ parameters }) => parameters.has('_lastUpdated'),
      400,
      'not-supported',
      '_lastUpdated is not supported',
    ),
  },
  'reads-not-found': {
    description: 'Answers 404 to every read of a Condition or an Observation; searches return them.',
    before: refuse(reads('Condition', 'Observation'), 404, 'not-found', 'this type can only be searched'),
  },
  'deleted-gone': {
    description: 'Answers 410 to the read of a resource that was deleted, and not 404.',
    remembersDeletions: true,
  },
  'conditional-reads': {
    description:
      'Declares conditionalRead, and answers 304 to a read of what was not modified since If-Modified-Since.',
    capabilities: changeTypes((resource) => ({ ...resource, conditionalRead: 'modified-since' })),
    reply: (reply, { modifiedSince }) => {
      const modified = Date.parse(reply.headers['Last-Modified'] ?? '');
      return modifiedSince !== undefined && modified <= modifiedSince ? { ...reply, status: 304, body: '' } : reply;
    },
  },
});
