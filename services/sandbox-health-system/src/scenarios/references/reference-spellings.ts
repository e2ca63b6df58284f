import type { FhirExchange, Scenario } from '../scenario';
import { withText } from '../rewrite';

const relative = /("reference"\s*:\s*")([A-Z][A-Za-z]+)\/([^"#?]+)"/g;

/** A scenario that rewrites references. */
function spelling(
  name: string,
  does: string,
  write: (type: string, id: string, exchange: FhirExchange) => string,
): Scenario {
  return {
    name,
    area: 'references',
    does,
    reply: (reply, exchange) =>
      withText(reply, (text) =>
        text.replace(
          relative,
          (_whole, before: string, type: string, id: string) => `${before}${write(type, id, exchange)}"`,
        ),
      ),
  };
}

export const referencesAbsolute = spelling(
  'references-absolute',
  'Writes references as whole addresses under its FHIR base.',
  (type, id, { base }) => `${base}/${type}/${id}`,
);

export const referencesVersioned = spelling(
  'references-versioned',
  'Writes references with a version: Patient/1/_history/1.',
  (type, id) => `${type}/${id}/_history/1`,
);

export const referencesForeign = spelling(
  'references-foreign',
  'Writes references to Practitioner as addresses at another host.',
  (type, id, { elsewhere, grant }) =>
    type === 'Practitioner' ? `${elsewhere}/${encodeURIComponent(grant.username)}/fhir/${type}/${id}` : `${type}/${id}`,
);

export const referencesNowhere = spelling(
  'references-nowhere',
  'Refers to practitioners that nobody can read.',
  (type, id) => (type === 'Practitioner' ? `${type}/gone-${id}`.slice(0, 70) : `${type}/${id}`),
);

export const referencesUrn = spelling(
  'references-urn',
  'Writes references to Practitioner as urn:uuid, which lead nowhere.',
  (type, id) => (type === 'Practitioner' ? 'urn:uuid:9b0fbe0c-6f0e-4b0e-8d0e-5c3d9ad0b7c1' : `${type}/${id}`),
);
