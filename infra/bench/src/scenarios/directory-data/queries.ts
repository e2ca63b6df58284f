import { Dice } from './dice';
import { type PretendSystem, pretendSystem } from './pretend-system';
import { kinds, stateNames } from './words';

const purpose = 2;

/** What people type, by how they type it; a kind that is typed more often stands here more often. */
const ways: readonly ((system: PretendSystem, dice: Dice) => string)[] = [
  wholeName,
  wholeName,
  wordAndKind,
  wordAndKind,
  unfinished,
  unfinished,
  unfinished,
  withTypo,
  withTypo,
  ({ city }) => city.name.toLowerCase(),
  ({ city, tellingWord }) => `${tellingWord} ${city.name}`.toLowerCase(),
  ({ postalCode }) => postalCode,
  ({ city, tellingWord }) => `${tellingWord} ${stateNames[city.state] ?? city.state}`,
];

/** The query of a number, about one of so many health systems; the same every time. */
export function typedQuery(number: number, systems: number): string {
  const dice = new Dice(number, purpose);
  const way = ways[number % ways.length] as (typeof ways)[number];
  return way(pretendSystem(dice.below(systems)), dice);
}

function wholeName({ name }: PretendSystem): string {
  return name;
}

function wordAndKind({ tellingWord }: PretendSystem, dice: Dice): string {
  return `${tellingWord} ${dice.of(kinds)}`.toLowerCase();
}

/** The first letters of a name, as a page asks with while its user types. */
function unfinished({ name }: PretendSystem, dice: Dice): string {
  return name
    .slice(0, 2 + dice.below(name.length - 2))
    .trim()
    .toLowerCase();
}

/** One letter left out, doubled, or swapped with the next, but never the first. */
function withTypo({ name }: PretendSystem, dice: Dice): string {
  const at = 1 + dice.below(Math.min(name.length - 2, 8));
  const [before, letter, next, after] = [name.slice(0, at), name.charAt(at), name.charAt(at + 1), name.slice(at + 2)];
  return (
    [before + next + after, before + letter + letter + next + after, before + next + letter + after][
      dice.below(3)
    ]?.toLowerCase() ?? name
  );
}
