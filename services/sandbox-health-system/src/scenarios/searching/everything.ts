import { problemReply } from '../../fhir/operation-outcome';
import type { Release } from '../../releases';
import type { Capabilities, FhirExchange, Reply, Scenario } from '../scenario';

const definition = 'http://hl7.org/fhir/OperationDefinition/Patient-everything';

/** Declares the operation in the capability statement of each release. */
function announced(document: Capabilities): Capabilities {
  const release: Release =
    document['resourceType'] === 'Conformance'
      ? 'dstu2'
      : String(document['fhirVersion']).startsWith('3')
        ? 'stu3'
        : 'r4';
  const operation = { name: 'everything', definition: release === 'r4' ? definition : { reference: definition } };
  return {
    ...document,
    rest: document.rest.map((rest) =>
      release === 'r4'
        ? {
            ...rest,
            resource: rest.resource.map((resource) =>
              resource.type === 'Patient' ? { ...resource, operation: [operation] } : resource,
            ),
          }
        : { ...rest, operation: [operation] },
    ),
  };
}

export const everything: Scenario = {
  name: 'everything',
  area: '$everything',
  does: 'Offers Patient/{id}/$everything, ten entries a page.',
  everything: true,
  capabilities: announced,
  pageSize: (requested) => Math.min(requested, 10),
};

export const everythingBroken: Scenario = {
  name: 'everything-broken',
  area: '$everything',
  does: 'Declares Patient/{id}/$everything, and answers it with 500.',
  everything: true,
  capabilities: announced,
  before: ({ interaction, release }: FhirExchange): Reply | undefined =>
    interaction === 'everything' ? problemReply(release, 500, 'exception', 'out of memory') : undefined,
};
