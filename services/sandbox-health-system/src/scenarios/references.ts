import { changeEntries, changeText, nth, reads, refuse, withMember } from './hooks';
import { RecordWithMother, motherOf } from './record-with-mother';
import { scenariosOf, type CapableType, type FhirExchange, type Hook } from './scenario';

const relative = /("reference"\s*:\s*")([A-Z][A-Za-z]+)\/([^"#?]+)"/g;

/** Rewrites relative references. */
function references(write: (type: string, id: string, exchange: FhirExchange) => string): Hook<'reply'> {
  return changeText((text, exchange) =>
    text.replace(
      relative,
      (_whole, before: string, type: string, id: string) => `${before}${write(type, id, exchange)}"`,
    ),
  );
}

/** Rewrites the references to Practitioner only. */
function practitioners(write: (id: string, exchange: FhirExchange) => string): Hook<'reply'> {
  return references((type, id, exchange) => (type === 'Practitioner' ? write(id, exchange) : `${type}/${id}`));
}

/** Declares Coverage as Encounter is declared, if it is not. */
function withCoverage(types: CapableType[]): CapableType[] {
  const encounters = types.find(({ type }) => type === 'Encounter');
  return encounters && !types.some(({ type }) => type === 'Coverage')
    ? [...types, { ...encounters, type: 'Coverage' }]
    : types;
}

const language = '"language":"en-GB"';
const withLanguage = changeText((text) => withMember(text, language));

export const referenceScenarios = scenariosOf('References', {
  'references-absolute': {
    description: 'Writes references as whole addresses under its FHIR base.',
    reply: references((type, id, { base }) => `${base}/${type}/${id}`),
  },
  'references-versioned': {
    description: 'Writes references with a version: Patient/1/_history/1.',
    reply: references((type, id) => `${type}/${id}/_history/1`),
  },
  'references-other-origin': {
    description: 'Writes references to Practitioner as addresses at another origin.',
    reply: practitioners((id, { otherOrigin }) => `${otherOrigin}/fhir/Practitioner/${id}`),
  },
  'references-not-found': {
    description: 'Refers to practitioners that nobody can read.',
    reply: practitioners((id) => `Practitioner/gone-${id}`.slice(0, 70)),
  },
  'references-urn': {
    description: 'Writes references to Practitioner as urn:uuid, which lead nowhere.',
    reply: practitioners(() => 'urn:uuid:9b0fbe0c-6f0e-4b0e-8d0e-5c3d9ad0b7c1'),
  },
  'references-refused-at-first': {
    description: 'Answers 403 to the first read of each Practitioner and Binary, and gives it afterwards.',
    before: refuse(nth(1, 'refused', reads('Practitioner', 'Binary')), 403, 'forbidden', 'this may not be read yet'),
  },
  'references-forbidden': {
    description: 'Answers 403 when Practitioner or Organization is read.',
    before: refuse(reads('Practitioner', 'Organization'), 403, 'forbidden', 'this may not be read by patients'),
  },
  'second-system': {
    description: 'Has the same ids as the plain server and other content: each resource says language en-GB.',
    page: changeEntries((text) => withMember(text, language)),
    reply: (reply, exchange) => (exchange.interaction === 'read' ? withLanguage(reply, exchange) : reply),
  },
  'mother-and-child': {
    description:
      'Signs in the mother of the patient (fhirUser), and has resources of her, some of which those of the child refer to.',
    tokens: { otherUser: (childId) => `Patient/${motherOf(childId)}` },
    record: (record, release) => new RecordWithMother(record, release),
    capabilities: (document) => ({
      ...document,
      rest: document.rest.map((rest) => ({ ...rest, resource: withCoverage(rest.resource) })),
    }),
  },
});
