import type { Release } from '../release';
import { sections } from '../search-parameters/table';

const loaders: Record<Release, () => { table: string }> = {
  dstu2: () => require('./dstu2') as typeof import('./dstu2'),
  stu3: () => require('./stu3') as typeof import('./stu3'),
  r4: () => require('./r4') as typeof import('./r4'),
};
const compartments = new Map<Release, Map<string, ReadonlyMap<string, readonly string[]>>>();

/**
 * The members of a compartment: resource type → codes of the search parameters, one of which must refer to the compartment's resource.
 * In r4 and stu3 there are Device, Encounter, Patient, Practitioner and RelatedPerson; in dstu2 there is Patient. Others are empty.
 */
export function compartment(release: Release, name: string): ReadonlyMap<string, readonly string[]> {
  let ofRelease = compartments.get(release);
  if (!ofRelease) {
    ofRelease = read(loaders[release]().table);
    compartments.set(release, ofRelease);
  }
  return ofRelease.get(name) ?? new Map<string, readonly string[]>();
}

function read(table: string): Map<string, ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, ReadonlyMap<string, readonly string[]>>();
  for (const [name, lines] of sections(table)) {
    const members = lines.map((line): [string, readonly string[]] => {
      const [type = '', codes = ''] = line.split('\t');
      return [type, codes.split(',')];
    });
    found.set(name, new Map(members));
  }
  return found;
}
