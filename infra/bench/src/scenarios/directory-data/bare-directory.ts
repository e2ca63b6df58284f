import type { BareTables } from '../../bare/bare-tables';
import { textColumn } from '../../bare/binary-copy';
import type { Sequence } from '../../load/sequence';
import { syntheticSystem } from './synthetic-system';

const systemsInPiece = 500;

/**
 * Fills the table of the bare route with the same health systems, and indexes their words.
 * @returns the duration in seconds
 */
export async function fillBareDirectory(bare: BareTables, count: number): Promise<number> {
  const began = performance.now();
  await bare.pool.query(`CREATE TABLE fhir_store.bench_directory (
    id int PRIMARY KEY, name text, address text, releases text, words tsvector GENERATED ALWAYS AS (to_tsvector('simple', name || ' ' || address)) STORED
  )`);
  await bare.copyIn('COPY fhir_store.bench_directory (id, name, address, releases) FROM STDIN', copyText(count));
  await bare.pool.query('CREATE INDEX ON fhir_store.bench_directory USING gin (words)');
  const seconds = (performance.now() - began) / 1000;
  await bare.pool.query('VACUUM ANALYZE fhir_store.bench_directory');
  return seconds;
}

function* copyText(count: number): Generator<Buffer> {
  for (let from = 0; from < count; from += systemsInPiece) {
    const numbers = Array.from({ length: Math.min(systemsInPiece, count - from) }, (_, index) => from + index);
    yield Buffer.from(numbers.map(copyLine).join(''));
  }
}

function copyLine(number: number): string {
  const { name, city, street, postalCode, releases } = syntheticSystem(number);
  return `${number}\t${[name, `${street}, ${city.name}, ${city.state} ${postalCode}`, releases.join(',')].map(textColumn).join('\t')}\n`;
}

/** The query as a tsquery of PostgreSQL: all words, the last as a prefix. It does not find misspelled words. */
export function bareQuery(query: string): Sequence {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [
    { method: 'GET', path: `/directory/${encodeURIComponent(`${words.join(' & ')}:*`)}`, headers: {}, expect: 200 },
  ];
}
