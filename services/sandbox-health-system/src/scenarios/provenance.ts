import { matchEntry } from '../fhir/page-text';
import type { PatientRecord } from '../records/patient-record';
import { referencesIn } from '../records/references';
import { changeSearchParameters, changeTypes, declareReadOnly, refuse, searches } from './hooks';
import { scenariosOf, type Capabilities, type FhirExchange, type SearchPage } from './scenario';

const included = 'Provenance:target';

function includeProvenance(page: SearchPage, { base, parameters }: FhirExchange, record?: PatientRecord): SearchPage {
  if (parameters.get('_revinclude') !== included || !record) return page;
  const ids = new Set(page.entries.map(({ fullUrl = '' }) => fullUrl.slice(base.length + 1)));
  const list = record.list('Provenance');
  const all = Array.from({ length: list.length }, (_x, index) => list.at(index)).filter((each) => each !== undefined);
  const ofEntries = all.filter(({ text }) => referencesIn(text).some((reference) => ids.has(reference)));
  const entries = ofEntries.map((resource) => ({ ...matchEntry(base, resource), mode: 'include' as const }));
  return { ...page, entries: [...page.entries, ...entries] };
}

const refuseWithoutTarget = refuse(
  (exchange) => searches('Provenance')(exchange) && !['target', '_id'].some((name) => exchange.parameters.has(name)),
  400,
  'required',
  'target is required when _id is not used',
);

const refuseInclude = refuse(
  ({ parameters }) => parameters.has('_revinclude'),
  400,
  'not-supported',
  '_revinclude is not supported',
);

const declareInclude = changeTypes((resource) =>
  resource.searchParam ? { ...resource, searchRevInclude: [included] } : resource,
);

const declareTarget = changeSearchParameters((type, declared) =>
  type === 'Provenance' ? [{ name: 'target', type: 'reference' }] : declared,
);

const declareTargetAndInclude = (document: Capabilities): Capabilities => declareInclude(declareTarget(document));

export const provenanceByTarget = {
  before: refuseWithoutTarget,
  page: includeProvenance,
  capabilities: declareTargetAndInclude,
};

export const provenance = scenariosOf('Provenance', {
  'provenance-by-target': {
    description:
      'Searches Provenance by target only, and includes it in other searches with _revinclude=Provenance:target.',
    ...provenanceByTarget,
  },
  'provenance-include-refused': {
    description: 'Declares that searches can include Provenance, and answers 400 to _revinclude.',
    before: (exchange) => refuseInclude(exchange) ?? refuseWithoutTarget(exchange),
    capabilities: declareTargetAndInclude,
  },
  'provenance-included-only': {
    description:
      'Includes Provenance in other searches with _revinclude=Provenance:target, and declares no search of it.',
    before: refuseWithoutTarget,
    page: includeProvenance,
    capabilities: (document) => declareInclude(declareReadOnly('Provenance')(document)),
  },
  'provenance-by-target-only': {
    description: 'Searches Provenance by target only, and includes it in no other search.',
    before: refuseWithoutTarget,
    page: includeProvenance,
    capabilities: declareTarget,
  },
});
