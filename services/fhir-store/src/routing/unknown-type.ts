import { type Release, isResourceType, releases, resourceTypes } from '@tributary/fhir-definitions';
import { FhirError } from '../fhir-http/fhir-error';

/** The types that were renamed or replaced between releases, as FHIR names them in each. */
export const renamedTypes: readonly Readonly<Partial<Record<Release, string>>>[] = [
  { dstu2: 'MedicationOrder', stu3: 'MedicationRequest', r4: 'MedicationRequest' },
  { dstu2: 'DiagnosticOrder', stu3: 'ProcedureRequest', r4: 'ServiceRequest' },
  { dstu2: 'ProcedureRequest', stu3: 'ProcedureRequest', r4: 'ServiceRequest' },
  { dstu2: 'ReferralRequest', stu3: 'ReferralRequest', r4: 'ServiceRequest' },
  { dstu2: 'DeviceUseRequest', stu3: 'DeviceRequest', r4: 'DeviceRequest' },
  { dstu2: 'DeviceComponent', stu3: 'DeviceComponent', r4: 'DeviceDefinition' },
  { dstu2: 'Conformance', stu3: 'CapabilityStatement', r4: 'CapabilityStatement' },
  { dstu2: 'BodySite', stu3: 'BodySite', r4: 'BodyStructure' },
  { dstu2: 'EligibilityRequest', stu3: 'EligibilityRequest', r4: 'CoverageEligibilityRequest' },
  { dstu2: 'EligibilityResponse', stu3: 'EligibilityResponse', r4: 'CoverageEligibilityResponse' },
  { dstu2: 'ProcessRequest', stu3: 'ProcessRequest', r4: 'Task' },
  { stu3: 'Sequence', r4: 'MolecularSequence' },
];

/** Names that differ in so many letters are taken for misspelt. */
const maxDifference = 2;
/** No name of a type is as long. */
const maxLength = 64;

/**
 * The error for a path that begins with an unknown resource type. It names the types that the client can mean, and
 * quotes the name of the client only where it is a type of another release.
 */
export function noSuchType(release: Release, name: string): FhirError {
  return new FhirError(404, `this release of FHIR has no such resource type${hintFor(release, name)}`, 'not-supported');
}

function hintFor(release: Release, name: string): string {
  const having = releases.filter((each) => isResourceType(each, name));
  if (having.length > 0) {
    const here = renamedTypes.flatMap((names) =>
      having.some((each) => names[each] === name) ? (names[release] ?? []) : [],
    );
    const instead = here.length > 0 ? `; in ${release} it is ${[...new Set(here)].join(' or ')}` : '';
    return `; ${name} is a type of ${having.join(' and ')}${instead}`;
  }
  const similar = similarType(release, name);
  return similar === undefined ? '' : `; similar: ${similar}`;
}

/** The type with the fewest different letters, upper and lower case being alike. */
function similarType(release: Release, name: string): string | undefined {
  if (name.length > maxLength) return undefined;
  const [best] = resourceTypes(release)
    .map((type) => ({ type, difference: differenceOf(type.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.difference - b.difference);
  return best && best.difference <= maxDifference && best.difference < name.length / 2 ? best.type : undefined;
}

/** How many letters must be added, removed or replaced to make one text of the other (Levenshtein distance). */
function differenceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(
        Math.min((next[j] as number) + 1, (row[j + 1] as number) + 1, (row[j] as number) + Number(letter !== b[j])),
      );
    row = next;
  }
  return row[b.length] as number;
}
