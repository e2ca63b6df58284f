// Compares the ranking of this service with MiniSearch: quality, speed and memory. Build first, then
//   npm run bench -w @tributary/search -- [--data <folder of *.brands.json.gz>] [--count <synthetic documents>] \
//     [--queries <of each kind>] [--sweep]
// Without --data the folder `directory` of $TRIBUTARY_DATA is read, if it exists. The synthetic directory is always
// measured. Each engine runs in a process of its own. Queries of the speed test are distinct, so no cache of results
// helps.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { realDocuments, syntheticDocuments } from './documents.mjs';
import { rankingWeights } from '../../dist/ranking/scorer.js';
import { engines } from './engines.mjs';
import { expectations, generatedQueries, isInPostalOrder, nearQueries, postalCodes } from './queries.mjs';

const dataOfEnvironment = process.env.TRIBUTARY_DATA && join(process.env.TRIBUTARY_DATA, 'directory');
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    count: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '400' },
    engine: { type: 'string' },
    real: { type: 'boolean', default: false },
    sweep: { type: 'boolean', default: false },
  },
});
const folder = values.data ?? (dataOfEnvironment && existsSync(dataOfEnvironment) ? dataOfEnvironment : undefined);

if (values.sweep) await sweep();
else if (values.engine) process.stdout.write(JSON.stringify(await measure(values.engine)));
else for (const isReal of folder ? [true, false] : [false]) compare(isReal);

function compare(isReal) {
  const results = Object.keys(engines).map((engine) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--expose-gc', fileURLToPath(import.meta.url), ...argumentsOf(engine, isReal)],
      { encoding: 'utf8', maxBuffer: 1e8 },
    );
    if (status !== 0) throw new Error(`${engine} failed: ${stderr}`);
    return { engine, ...JSON.parse(stdout) };
  });
  process.stdout.write(`\n${isReal ? 'real' : 'synthetic'} directory, ${results[0].documents} documents\n`);
  console.table(
    Object.fromEntries(
      Object.keys(results[0].rows).map((row) => [
        row,
        Object.fromEntries(results.map(({ engine, rows }) => [engine, rows[row]])),
      ]),
    ),
  );
}

/** Measures the quality with one weight changed at a time. */
async function sweep() {
  const documents = folder ? await realDocuments(folder) : syntheticDocuments(Number(values.count));
  const count = Number(values.queries);
  const defaults = { ...rankingWeights };
  for (const weight of Object.keys(defaults)) {
    const queries = weight === 'nearness' ? nearQueries(documents, count) : generatedQueries(documents, count);
    const rows = {};
    for (const value of [0, 0.2, 0.4, 0.45, 0.6, 0.8, 1]) {
      Object.assign(rankingWeights, defaults, { [weight]: value });
      const search = await engines.own(documents);
      const namesOf = (query, near) => search(query, near).map((index) => documents[index].name);
      const ranks = queries.map(({ query, name, near }) => namesOf(query, near).indexOf(name));
      rows[`${weight} = ${value}`] = {
        'expectations met': folder ? expectations.filter(([query, isGood]) => isGood(namesOf(query))).length : '-',
        first: percent(ranks, (rank) => rank === 0),
        ...Object.fromEntries(
          [...new Set(queries.map(({ kind }) => kind))].map((kind) => [
            kind,
            percent(
              ranks.filter((_, index) => queries[index].kind === kind),
              (rank) => rank === 0,
            ),
          ]),
        ),
        'among 10': percent(ranks, (rank) => rank >= 0 && rank < 10),
        'mean reciprocal rank': (
          ranks.reduce((sum, rank) => sum + (rank < 0 ? 0 : 1 / (rank + 1)), 0) / ranks.length
        ).toFixed(4),
      };
    }
    console.table(rows);
  }
}

function argumentsOf(engine, isReal) {
  const common = ['--engine', engine, '--queries', values.queries, '--count', values.count];
  return isReal ? [...common, '--real', '--data', folder] : common;
}

/** What one engine does with one directory. */
async function measure(engine) {
  const documents = values.real ? await realDocuments(folder) : syntheticDocuments(Number(values.count));
  const queries = generatedQueries(documents, Number(values.queries));
  const codes = postalCodes(documents, Number(values.queries));

  globalThis.gc();
  const before = memory();
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const began = performance.now();
  const search = await engines[engine](documents);
  const buildMs = performance.now() - began;
  delays.disable();
  globalThis.gc();
  const megabytes = (memory() - before) / 1e6;

  const rows = {};
  if (values.real)
    rows['expectations met'] =
      `${expectations.filter(([query, isGood]) => isGood(namesOf(search(query)))).length} of ${expectations.length}`;
  for (const kind of new Set(queries.map((each) => each.kind))) {
    const ranks = queries
      .filter((each) => each.kind === kind)
      .map(({ query, name }) => namesOf(search(query)).indexOf(name));
    rows[`${kind}: first`] = percent(ranks, (rank) => rank === 0);
    rows[`${kind}: among 10`] = percent(ranks, (rank) => rank >= 0 && rank < 10);
  }
  rows['postal code: nearest first'] = percent(codes, (code) => isInPostalOrder(code, pageOf(search(code))));

  const timings = timed(search, [...new Set(generatedQueries(documents, 3000).map(({ query }) => query))]);
  rows['searches/s'] = Math.round(timings.perSecond);
  rows['median ms'] = timings.median.toFixed(2);
  rows['p99 ms'] = timings.p99.toFixed(2);
  rows['slowest ms'] = timings.max.toFixed(1);
  rows['memory MB'] = megabytes.toFixed(0);
  rows['build s'] = (buildMs / 1000).toFixed(1);
  rows['longest pause while building, ms'] = (delays.max / 1e6).toFixed(0);
  return { documents: documents.length, rows };

  function pageOf(indexes) {
    return indexes.map((index) => documents[index]);
  }
  function namesOf(indexes) {
    return pageOf(indexes).map(({ name }) => name);
  }
}

function timed(search, queries) {
  for (const query of queries.slice(0, 300)) search(`${query} `);
  const budgetMs = 60_000;
  const times = [];
  const began = performance.now();
  for (const query of queries) {
    const at = performance.now();
    search(query);
    times.push(performance.now() - at);
    if (performance.now() - began > budgetMs) break;
  }
  const total = times.reduce((sum, time) => sum + time, 0);
  times.sort((one, other) => one - other);
  const quantile = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { perSecond: (1000 * times.length) / total, median: quantile(0.5), p99: quantile(0.99), max: times.at(-1) };
}

function percent(list, isGood) {
  return list.length === 0 ? '-' : `${((100 * list.filter(isGood).length) / list.length).toFixed(1)} %`;
}

function memory() {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
