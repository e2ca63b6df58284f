import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderHaproxy } from './render-haproxy';

writeFileSync(join(__dirname, '..', 'haproxy.cfg'), renderHaproxy());
