import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Release, releases } from '@tributary/fhir-definitions';

const data = process.env['TRIBUTARY_DATA'] ?? join(__dirname, '..', '..', '..', '..', 'shared', 'data');

export interface RealRecord {
  readonly release: Release;
  readonly name: string;
  /** One resource a line. */
  readonly lines: readonly string[];
}

/** The records of real people's shape that lie beside the repository; none where it stands alone. */
export function realRecords(): RealRecord[] {
  return releases.flatMap((release) => {
    const folder = join(data, 'records', release);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith('.ndjson.gz'))
      .map((name) => ({
        release,
        name,
        lines: gunzipSync(readFileSync(join(folder, name)))
          .toString('utf8')
          .split('\n')
          .filter(Boolean),
      }));
  });
}
