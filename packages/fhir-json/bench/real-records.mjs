/**
 * How fast real records are read and written, beside JSON.parse and JSON.stringify.
 * `node bench/real-records.mjs <folder of *.ndjson.gz>` after the build.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseJson, stringifyJson } from '../dist/index.js';

const folder = process.argv[2];
const lines = readdirSync(folder)
  .filter((name) => name.endsWith('.ndjson.gz'))
  .flatMap((name) =>
    gunzipSync(readFileSync(join(folder, name)))
      .toString('utf8')
      .split('\n')
      .filter(Boolean),
  )
  .map((line) => Buffer.from(line).toString());
const bytes = lines.reduce((sum, line) => sum + line.length, 0);
const exact = lines.filter((line) => stringifyJson(parseJson(line)) !== JSON.stringify(JSON.parse(line)));
const plain = lines.filter((line) => !exact.includes(line));

function measure(label, texts, read) {
  let best = Infinity;
  for (let round = 0; round < 12; round++) {
    const start = process.hrtime.bigint();
    for (const text of texts) read(text);
    best = Math.min(best, Number(process.hrtime.bigint() - start));
  }
  const size = texts.reduce((sum, text) => sum + (text.length ?? 0), 0);
  console.log(
    `${label.padEnd(34)} ${(best / texts.length / 1000).toFixed(2)} µs each${size ? `, ${((size / best) * 1000).toFixed(0)} MB/s` : ''}`,
  );
}

console.log(
  `${lines.length} resources, ${(bytes / 1e6).toFixed(1)} MB, ${exact.length} with a number that keeps its text`,
);
measure('JSON.parse, all', lines, JSON.parse);
measure('parseJson, all', lines, parseJson);
measure('JSON.parse, plain only', plain, JSON.parse);
measure('parseJson, plain only', plain, parseJson);
measure('JSON.parse, kept texts only', exact, JSON.parse);
measure('parseJson, kept texts only', exact, parseJson);
const values = lines.map((line) => parseJson(line));
measure('JSON.stringify, all', values, (value) => JSON.stringify(value));
measure('stringifyJson, all', values, (value) => stringifyJson(value));
