import { generatedPeople, generatedPerson } from './generator/generated-people';
import { Everyone } from './records/everyone';
import type { People } from './records/person';
import { recordedPeople } from './records/recorded-people';

/** The people of the records directory when there is one, else the generated ones; those can always sign in, listed or not. */
export async function peopleOf(recordsDirectory: string | undefined): Promise<People> {
  const listed = recordsDirectory === undefined ? generatedPeople() : await recordedPeople(recordsDirectory);
  return new Everyone(listed, generatedPerson);
}
