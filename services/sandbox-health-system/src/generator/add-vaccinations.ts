import { adultVaccines, childhoodVaccines, influenzaVaccine } from './codes/clinical';
import type { Concept } from './codes/concept';
import { atEncounter, type EncounterFact, type History } from './facts';
import type { Random } from './random';

const year = 365.25 * 86_400_000;

/** Adds the vaccinations of one encounter: influenza at random, the others by age, each once. */
export function addVaccinations(
  birthDate: string,
  history: History,
  encounter: EncounterFact,
  random: Random,
  index: number,
): void {
  const age = (encounter.start.getTime() - Date.parse(birthDate)) / year;
  const schedule = age < 18 ? childhoodVaccines : adultVaccines;
  const given = new Set(history.immunizations.map(({ code }) => code.code));
  const due = index % 3 === 0 ? schedule.find(({ code }) => !given.has(code)) : undefined;
  const vaccines: Concept[] = [...(due ? [due] : []), ...(index % 4 === 2 && age > 0.5 ? [influenzaVaccine] : [])];
  for (const code of vaccines) {
    history.immunizations.push({
      ...atEncounter(encounter),
      id: random.id(`vaccine-${index}-${code.code}`),
      code,
      lot: `L${random.integer(10_000, 99_999)}`,
      expires: new Date(encounter.start.getTime() + year),
      locationId: encounter.locationId,
    });
  }
}
