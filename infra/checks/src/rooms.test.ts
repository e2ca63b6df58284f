import { findLaterImports } from './rooms';

const source = 'services/ingestion-worker/src';

it.each([
  ['collection/plan/plan.ts', '../search/search-state', 'collection/plan', 'collection/search'],
  [
    'collection/references/slices.test.ts',
    '../outcome/collection-outcome',
    'collection/references',
    'collection/outcome',
  ],
  ['collection/search/collect-type.ts', '../collect', 'collection/search', 'collection'],
  ['checkpoints/checkpoint.ts', '../collection/record/collected-record', 'checkpoints', 'collection/record'],
])('reports that %s imports %s', (path, imported, room, later) => {
  const text = `/** A module. */\nimport { one } from '${imported}';`;
  expect(findLaterImports(`${source}/${path}`, text)).toEqual([
    { line: 2, problem: `${source}/${room} comes before ${source}/${later} and does not import it` },
  ]);
});

it.each([
  ['collection/search/collect-type.ts', '../plan/plan'],
  ['collection/search/collect-type.ts', './search-state'],
  ['collection/search/collect-type.ts', '../../health-system/http'],
  ['collection/collect.ts', './outcome/collection-outcome'],
  ['queue/collection-attempts.ts', '../collection/collect'],
])('accepts that %s imports %s', (path, imported) => {
  expect(findLaterImports(`${source}/${path}`, `import { one } from '${imported}';`)).toEqual([]);
});
