import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RETIRED_BLOCK_LIFETIME_MS } from '@tributary/record-storage';
import { containers } from './containers';
import { renderHaproxy } from './render-haproxy';

it('haproxy.cfg is what npm run generate writes', () => {
  expect(readFileSync(join(__dirname, '..', 'haproxy.cfg'), 'utf8')).toBe(renderHaproxy(containers));
});

it('a reload cuts no download: the process before may go on as long as the blocks of a snapshot are kept', () => {
  const hours = Number(/^ {2}hard-stop-after (\d+)h$/m.exec(renderHaproxy(containers))?.[1]);
  expect(hours * 3_600_000).toBeGreaterThanOrEqual(RETIRED_BLOCK_LIFETIME_MS);
});

it.each(['bind', 'server'])('takes no version before TLS 1.2 as a %s, whatever the library of TLS allows', (side) => {
  expect(renderHaproxy(containers)).toMatch(new RegExp(`^  ssl-default-${side}-options ssl-min-ver TLSv1\\.2 `, 'm'));
});
