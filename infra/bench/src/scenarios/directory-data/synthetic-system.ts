import { SeededRandom } from './seeded-random';
import {
  type City,
  cities,
  forms,
  givenNames,
  kinds,
  landmarks,
  nameBeginnings,
  nameEndings,
  nameMiddles,
  saints,
  streetKinds,
  streets,
} from './words';

/** A generated health system. */
export interface SyntheticSystem {
  name: string;
  alias: string | undefined;
  /** The word that distinguishes it in searches: a family name, a landmark, a city. */
  distinctiveWord: string;
  city: City;
  street: string;
  postalCode: string;
  releases: ('dstu2' | 'stu3' | 'r4')[];
}

const purpose = 1;

/** Generates the health system of a number. Two numbers can have the same name, as in real directories. */
export function syntheticSystem(number: number): SyntheticSystem {
  const random = new SeededRandom(number, purpose);
  const city = random.pickEarly(cities);
  const { name, distinctiveWord } = named(random, city);
  return {
    name,
    distinctiveWord,
    alias: random.below(5) === 0 ? `${random.pick(landmarks)} ${distinctiveWord} ${random.pick(kinds)}` : undefined,
    city,
    street: `${1 + random.below(9900)} ${random.below(3) === 0 ? familyName(random) : random.pick(streets)} ${random.pick(streetKinds)}`,
    postalCode: `${city.area}${String(random.below(60)).padStart(2, '0')}`,
    releases: random.below(3) === 0 ? ['dstu2', 'r4'] : ['r4'],
  };
}

function named(random: SeededRandom, city: City): { name: string; distinctiveWord: string } {
  const form = random.pick(forms);
  const draw = random.below(10);
  if (draw < 4) {
    const distinctiveWord = familyName(random);
    return {
      distinctiveWord,
      name:
        random.below(3) === 0
          ? `${random.pick(givenNames)} ${distinctiveWord}, MD`
          : `${distinctiveWord} ${random.pick(kinds)}${form}`,
    };
  }
  if (draw < 6) return { distinctiveWord: city.name, name: `${city.name} ${random.pick(kinds)}${form}` };
  if (draw < 9) {
    const distinctiveWord = random.pick(landmarks);
    return { distinctiveWord, name: `${distinctiveWord} ${random.pick(landmarks)} ${random.pick(kinds)}${form}` };
  }
  const distinctiveWord = random.pick(saints);
  return { distinctiveWord, name: `St. ${distinctiveWord} ${random.pick(kinds)}` };
}

function familyName(random: SeededRandom): string {
  return random.pick(nameBeginnings) + random.pick(nameMiddles) + random.pick(nameEndings);
}
