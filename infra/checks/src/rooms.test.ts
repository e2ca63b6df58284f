import { findLaterImports } from './rooms';

const worker = 'services/ingestion-worker/src';
const search = 'services/fhir-store/src/interactions/search';

it.each([
  [worker, 'collection/plan/plan.ts', '../search/search-state', 'collection/plan', 'collection/search'],
  [
    worker,
    'collection/references/slices.test.ts',
    '../outcome/collection-outcome',
    'collection/references',
    'collection/outcome',
  ],
  [worker, 'collection/search/collect-type.ts', '../collect', 'collection/search', 'collection'],
  [worker, 'checkpoints/checkpoint.ts', '../collection/record/collected-record', 'checkpoints', 'collection/record'],
  [search, 'parse/parse-once.ts', '../evaluate/evaluate-search', 'parse', 'evaluate'],
  [search, 'evaluate/read-search.ts', '../page/match-page', 'evaluate', 'page'],
  [search, 'page/includes.ts', '../render/searchset', 'page', 'render'],
])('reports that %s/%s imports %s', (source, path, imported, room, later) => {
  const text = `/** A module. */\nimport { one } from '${imported}';`;
  expect(findLaterImports(`${source}/${path}`, text)).toEqual([
    { line: 2, problem: `${source}/${room} comes before ${source}/${later} and does not import it` },
  ]);
});

it.each([
  [worker, 'collection/search/collect-type.ts', '../plan/plan'],
  [worker, 'collection/search/collect-type.ts', './search-state'],
  [worker, 'collection/search/collect-type.ts', '../../health-system/http'],
  [worker, 'collection/collect.ts', './outcome/collection-outcome'],
  [worker, 'queue/collection-attempts.ts', '../collection/collect'],
  [search, 'render/searchset.ts', '../page/match-page'],
  [search, 'search.ts', './render/searchset'],
])('accepts that %s/%s imports %s', (source, path, imported) => {
  expect(findLaterImports(`${source}/${path}`, `import { one } from '${imported}';`)).toEqual([]);
});
