// The documents of the ranking benchmark: brands bundles from a folder, or a synthetic directory. Both are in the order
// of their names, as the index requires.
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { Random } from '@tributary/test-environment';
import { readOrganization } from '../../dist/loading/read-organization.js';
import { splitFile } from '../../dist/loading/split-file.js';
import { sortKey } from '../../dist/ranking/words.js';

/** The organizations of all `*.brands.json.gz` files of a folder. */
export async function realDocuments(folder) {
  const documents = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.brands.json.gz'))) {
    for await (const { value } of splitFile(createReadStream(join(folder, file)).pipe(createGunzip()))) {
      if (value?.resource?.resourceType !== 'Organization') continue;
      const read = readOrganization(value.resource, value.fullUrl);
      if (read.value) documents.push(asDocument(read.value.content));
    }
  }
  return inNameOrder(documents);
}

function asDocument({ name, aliases, addresses, portals }) {
  const affiliations = portals.flatMap((portal) => portal.name ?? []);
  return { name, aliases, addresses, affiliations };
}

function inNameOrder(documents) {
  return documents
    .map((document) => ({ key: sortKey(document.name), document }))
    .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
    .map(({ document }) => document);
}

const syllables =
  'al an ar ba be bel bor bur can car ches col cor dal den der el en er fair fal far glen gran ha har hol jack ken kin lan lin mar mel mon nor oak or pal pen quin ran ros san sher stan ter tur val ver wal wes win wood york'.split(
    ' ',
  );
const kinds = [
  'Hospital',
  'Medical Center',
  'Clinic',
  'Family Medicine',
  'Pediatrics',
  'Health System',
  'Orthopedic Group',
  'Community Health Center',
  'Dermatology Associates',
  'Regional Hospital',
];
const prefixes = ['', '', '', 'St. ', 'Mount ', 'North ', 'New ', 'The ', 'University of '];

/** A directory of `count` made-up health systems with place names of a few thousand words, the same each time. */
export function syntheticDocuments(count) {
  const random = new Random(7);
  const next = () => random.next();
  const pick = (list) => random.pick(list);
  const capital = (word) => word[0].toUpperCase() + word.slice(1);
  const word = () => capital(pick(syllables) + pick(syllables) + (next() < 0.5 ? pick(syllables) : ''));
  const words = Array.from({ length: 4000 }, word);
  const cities = Array.from({ length: 3000 }, () => ({
    city: pick(words),
    zip: String(501 + Math.floor(next() * 98_000)).padStart(5, '0'),
  }));
  return inNameOrder(
    Array.from({ length: count }, () => {
      const { city, zip } = pick(cities);
      const name = `${pick(prefixes)}${pick(words)}${next() < 0.4 ? ` ${pick(words)}` : ''} ${pick(kinds)}`;
      const line = [`${1 + Math.floor(next() * 9000)} ${pick(words)} St`];
      const aliases = next() < 0.1 ? [`${pick(words)} ${pick(kinds)}`] : [];
      const affiliations = next() < 0.3 ? [`${pick(words)} Health`] : [];
      return { name, aliases, addresses: [{ line, city, postalCode: zip }], affiliations };
    }),
  );
}
