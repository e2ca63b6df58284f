/**
 * How many real resources are validated in a second. `node bench/real-records.mjs <folder of *.ndjson.gz> <release>`
 * after the build.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseJson } from '@tributary/fhir-json';
import { validateResource } from '../dist/index.js';

const [, , folder, release] = process.argv;
const resources = readdirSync(folder)
  .filter((name) => name.endsWith('.ndjson.gz'))
  .flatMap((name) =>
    gunzipSync(readFileSync(join(folder, name)))
      .toString('utf8')
      .split('\n')
      .filter(Boolean),
  )
  .map((line) => parseJson(line));

function measure(label, chosen) {
  let best = Infinity;
  for (let round = 0; round < 20; round++) {
    const start = process.hrtime.bigint();
    for (const resource of chosen) validateResource(release, resource);
    best = Math.min(best, Number(process.hrtime.bigint() - start));
  }
  console.log(
    `${label.padEnd(24)} ${chosen.length} resources, ${((chosen.length / best) * 1e9).toFixed(0)}/s, ${(best / chosen.length / 1000).toFixed(2)} µs each`,
  );
}

measure('all', resources);
for (const type of ['Observation', 'Encounter', 'Claim', 'Patient'])
  measure(
    type,
    resources.filter(({ resourceType }) => resourceType === type),
  );
