import { perRelease } from '../per-release';
import type { Release } from '../release';
import { readSections } from '../text-table';

type Compartment = ReadonlyMap<string, readonly string[]>;

const compartments = perRelease((release) => {
  const { table } = require(`./tables/${release}`) as { table: string };
  return new Map([...readSections(table)].map(([name, rows]) => [name, readMembers(rows)]));
});

const noMembers: Compartment = new Map();

/**
 * A compartment (https://hl7.org/fhir/R4/compartmentdefinition.html): its resource types, each with the codes of the
 * search parameters one of which must refer to the compartment's resource. STU3 and R4 define compartments for Device,
 * Encounter, Patient, Practitioner and RelatedPerson; for DSTU2 only that of Patient is known. Any other name has no
 * members.
 */
export function compartment(release: Release, name: string): Compartment {
  return compartments(release).get(name) ?? noMembers;
}

function readMembers(rows: readonly string[]): Compartment {
  return new Map(
    rows.map((row): [string, readonly string[]] => {
      const [type = '', codes = ''] = row.split('\t');
      return [type, codes.split(',')];
    }),
  );
}
