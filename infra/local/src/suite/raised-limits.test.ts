import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { raisedLimits } from './raised-limits';

it('raises every rate limit of the configuration', () => {
  const reference = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'configuration.md'), 'utf8');
  const limits = [...reference.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(limits.length).toBeGreaterThan(20);
  expect(raisedLimits['RATE_LIMITS']?.split(',').map((change) => change.split('=')[0])).toEqual(limits);
});
