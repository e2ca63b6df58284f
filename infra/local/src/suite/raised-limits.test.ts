import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { raisedLimits } from './raised-limits';

it('raises every rate limit of the configuration', () => {
  const reference = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'configuration.md'), 'utf8');
  const variables = [...reference.matchAll(/`((?:LIMIT|RATE_LIMIT)_\w+)`/g)].map(([, name]) => name);
  expect(Object.keys(raisedLimits).sort()).toEqual([...new Set(variables)].sort());
});
