import { createHash } from 'node:crypto';
import { releases, resourceTypes } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { type ElementIndex, typeIndex } from './element-index';
import { indexValues } from './index-resource';
import { INDEX_VERSION } from './index-version';

/**
 * The rules of the current version. Once a version was released, the value of its number never changes: raise
 * INDEX_VERSION, too.
 */
const rules = { version: 4, digest: '530d15cfe08fbc4c5611b1257add64f4f62df5620b653162ed8b340be531674b' };

const resources: Resource[] = [
  {
    resourceType: 'Patient',
    id: 'p',
    name: [{ family: 'Åkesson-Straße', given: ['Ines', 'Ł'] }],
    birthDate: '1961-07',
    gender: 'female',
    identifier: [{ system: 'urn:mrn', value: 'A-1' }],
    telecom: [{ system: 'email', value: 'I@Example.org' }],
  },
  {
    resourceType: 'Observation',
    id: 'o',
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code: '8302-2' }, { code: 'X' }], text: 'Height' },
    subject: { reference: 'Patient/p' },
    effectivePeriod: { start: '2024-01-02T00:04:05+01:00' },
    valueQuantity: { value: 1.725, unit: 'm', system: 'http://unitsofmeasure.org', code: 'm' },
  },
  {
    resourceType: 'MedicationRequest',
    id: 'm',
    status: 'active',
    intent: 'order',
    contained: [{ resourceType: 'Medication', id: 'c' }],
    medicationReference: { reference: '#c' },
    authoredOn: '2024-02-30',
  },
  { resourceType: 'ValueSet', id: 'v', url: 'http://example.org/vs', version: '1', date: '2024' },
] as unknown as Resource[];

/** Everything that decides what a resource is found by: where values come from, and what becomes of them. */
function digest(): string {
  const hash = createHash('sha256');
  for (const release of releases) {
    for (const type of resourceTypes(release))
      hash.update(JSON.stringify(typeIndex(release, type).elements.map(recorded)));
    for (const resource of resources)
      hash.update(
        JSON.stringify(indexValues(release, resource), (_key, value: unknown) =>
          value === Infinity ? 'open' : value === -Infinity ? '-open' : value,
        ),
      );
  }
  return hash.digest('hex');
}

/** An element in the form of the recorded digest, which does not follow when the code renames a property. */
function recorded({ name, parameterType, repeats, paths }: ElementIndex): unknown {
  return { name, kind: parameterType, repeats, paths };
}

it('is raised with every change of the rules', () => {
  expect({ version: INDEX_VERSION, digest: digest() }).toEqual(rules);
});
