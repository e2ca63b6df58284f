import { Dice } from './dice';
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

/** A health system that does not exist. */
export interface PretendSystem {
  name: string;
  alias: string | undefined;
  /** What others cannot do without when they look for it: a family name, a landmark, a city. */
  tellingWord: string;
  city: City;
  street: string;
  postalCode: string;
  releases: ('dstu2' | 'stu3' | 'r4')[];
}

const purpose = 1;

/** The health system of a number; the same every time. Two of them can have one name, as in real directories. */
export function pretendSystem(number: number): PretendSystem {
  const dice = new Dice(number, purpose);
  const city = dice.earlyOf(cities);
  const { name, tellingWord } = named(dice, city);
  return {
    name,
    tellingWord,
    alias: dice.below(5) === 0 ? `${dice.of(landmarks)} ${tellingWord} ${dice.of(kinds)}` : undefined,
    city,
    street: `${1 + dice.below(9900)} ${dice.below(3) === 0 ? familyName(dice) : dice.of(streets)} ${dice.of(streetKinds)}`,
    postalCode: `${city.area}${String(dice.below(60)).padStart(2, '0')}`,
    releases: dice.below(3) === 0 ? ['dstu2', 'r4'] : ['r4'],
  };
}

function named(dice: Dice, city: City): { name: string; tellingWord: string } {
  const form = dice.of(forms);
  const throwOfTen = dice.below(10);
  if (throwOfTen < 4) {
    const tellingWord = familyName(dice);
    return {
      tellingWord,
      name:
        dice.below(3) === 0 ? `${dice.of(givenNames)} ${tellingWord}, MD` : `${tellingWord} ${dice.of(kinds)}${form}`,
    };
  }
  if (throwOfTen < 6) return { tellingWord: city.name, name: `${city.name} ${dice.of(kinds)}${form}` };
  if (throwOfTen < 9) {
    const tellingWord = dice.of(landmarks);
    return { tellingWord, name: `${tellingWord} ${dice.of(landmarks)} ${dice.of(kinds)}${form}` };
  }
  const tellingWord = dice.of(saints);
  return { tellingWord, name: `St. ${tellingWord} ${dice.of(kinds)}` };
}

function familyName(dice: Dice): string {
  return dice.of(nameBeginnings) + dice.of(nameMiddles) + dice.of(nameEndings);
}
