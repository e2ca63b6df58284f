import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { containers } from './containers';
import { renderHaproxy } from './render-haproxy';

writeFileSync(join(__dirname, '..', 'haproxy.cfg'), renderHaproxy(containers));
