import { matchEntry } from '../../fhir/page-text';
import { problemReply } from '../../fhir/operation-outcome';
import type { PatientRecord } from '../../records/patient-record';
import { referencesIn } from '../../records/references';
import type { FhirExchange, Reply, Scenario, SearchPage } from '../scenario';
import { withSearchParameters, withTypes } from './declared-parameters';

const included = 'Provenance:target';

function withProvenanceOfEntries(
  page: SearchPage,
  { base, parameters }: FhirExchange,
  record?: PatientRecord,
): SearchPage {
  if (parameters.get('_revinclude') !== included || !record) return page;
  const ids = new Set(page.entries.map(({ fullUrl = '' }) => fullUrl.slice(base.length + 1)));
  const list = record.list('Provenance');
  const all = Array.from({ length: list.length }, (_x, index) => list.at(index)).filter((each) => each !== undefined);
  const ofEntries = all.filter(({ text }) => referencesIn(text).some((reference) => ids.has(reference)));
  const entries = ofEntries.map((resource) => ({ ...matchEntry(base, resource), mode: 'include' as const }));
  return { ...page, entries: [...page.entries, ...entries] };
}

function refusedWithoutTarget({ interaction, type, parameters, release }: FhirExchange): Reply | undefined {
  return interaction === 'search' && type === 'Provenance' && !parameters.has('target') && !parameters.has('_id')
    ? problemReply(release, 400, 'required', 'target is required when _id is not used')
    : undefined;
}

export const provenanceByTarget: Scenario = {
  name: 'provenance-by-target',
  area: 'Provenance',
  does: 'Searches Provenance by target only, and includes it in other searches with _revinclude=Provenance:target.',
  before: refusedWithoutTarget,
  page: withProvenanceOfEntries,
  capabilities: (document) =>
    withTypes(
      withSearchParameters(document, (type, declared) =>
        type === 'Provenance' ? [{ name: 'target', type: 'reference' }] : declared,
      ),
      (resource) => (resource.searchParam ? { ...resource, searchRevInclude: [included] } : resource),
    ),
};

export const provenanceIncludeRefused: Scenario = {
  ...provenanceByTarget,
  name: 'provenance-include-refused',
  does: 'Declares that searches can include Provenance, and answers 400 to _revinclude.',
  before: (exchange) =>
    exchange.parameters.has('_revinclude')
      ? problemReply(exchange.release, 400, 'not-supported', '_revinclude is not supported')
      : refusedWithoutTarget(exchange),
};

export const provenanceIncludedOnly: Scenario = {
  ...provenanceByTarget,
  name: 'provenance-included-only',
  does: 'Includes Provenance in other searches with _revinclude=Provenance:target, and declares no search of it.',
  capabilities: (document) =>
    withTypes(document, (resource) => {
      if (resource.type === 'Provenance') return { type: 'Provenance', interaction: [{ code: 'read' }] };
      return resource.searchParam ? { ...resource, searchRevInclude: [included] } : resource;
    }),
};

export const provenanceByTargetOnly: Scenario = {
  ...provenanceByTarget,
  name: 'provenance-by-target-only',
  does: 'Searches Provenance by target only, and includes it in no other search.',
  capabilities: (document) =>
    withSearchParameters(document, (type, declared) =>
      type === 'Provenance' ? [{ name: 'target', type: 'reference' }] : declared,
    ),
};
