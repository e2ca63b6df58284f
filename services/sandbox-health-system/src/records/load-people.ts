import { generatedPeople, generatedPerson } from '../generator/generated-people';
import { PeopleDirectory } from './people-directory';
import type { People } from './person';
import { recordedPeople } from './recorded-people';

/**
 * Lists the people of the records directory, or generated ones without a directory. Generated people can sign in either
 * way.
 */
export async function loadPeople(recordsDirectory: string | undefined): Promise<People> {
  const listed = recordsDirectory === undefined ? generatedPeople() : await recordedPeople(recordsDirectory);
  return new PeopleDirectory(listed, generatedPerson);
}
