import { SeededRandom } from './seeded-random';
import { type SyntheticSystem, syntheticSystem } from './synthetic-system';
import { kinds, stateNames } from './words';

const purpose = 2;

/** The kinds of queries. A frequent kind occurs several times. */
const queryKinds: readonly ((system: SyntheticSystem, random: SeededRandom) => string)[] = [
  wholeName,
  wholeName,
  wordAndKind,
  wordAndKind,
  prefix,
  prefix,
  prefix,
  withTypo,
  withTypo,
  ({ city }) => city.name.toLowerCase(),
  ({ city, distinctiveWord }) => `${distinctiveWord} ${city.name}`.toLowerCase(),
  ({ postalCode }) => postalCode,
  ({ city, distinctiveWord }) => `${distinctiveWord} ${stateNames[city.state] ?? city.state}`,
];

/** Generates the query of a number for one of `systems` health systems. */
export function typedQuery(number: number, systems: number): string {
  const random = new SeededRandom(number, purpose);
  const makeQuery = queryKinds[number % queryKinds.length] as (typeof queryKinds)[number];
  return makeQuery(syntheticSystem(random.below(systems)), random);
}

function wholeName({ name }: SyntheticSystem): string {
  return name;
}

function wordAndKind({ distinctiveWord }: SyntheticSystem, random: SeededRandom): string {
  return `${distinctiveWord} ${random.pick(kinds)}`.toLowerCase();
}

/** A prefix of a name, as an application sends it while a user types. */
function prefix({ name }: SyntheticSystem, random: SeededRandom): string {
  return name
    .slice(0, 2 + random.below(name.length - 2))
    .trim()
    .toLowerCase();
}

/** The name with one letter omitted, doubled, or swapped with the next. The first letter is unchanged. */
function withTypo({ name }: SyntheticSystem, random: SeededRandom): string {
  const at = 1 + random.below(Math.min(name.length - 2, 8));
  const [before, letter, next, after] = [name.slice(0, at), name.charAt(at), name.charAt(at + 1), name.slice(at + 2)];
  return (
    [before + next + after, before + letter + letter + next + after, before + next + letter + after][
      random.below(3)
    ]?.toLowerCase() ?? name
  );
}
