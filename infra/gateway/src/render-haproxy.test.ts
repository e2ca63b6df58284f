import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderHaproxy } from './render-haproxy';

it('haproxy.cfg is what npm run generate writes', () => {
  expect(readFileSync(join(__dirname, '..', 'haproxy.cfg'), 'utf8')).toBe(renderHaproxy());
});
