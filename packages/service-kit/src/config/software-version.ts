import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The version of Tributary, from the package; all packages have the same. */
export const softwareVersion: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8'))).version;
