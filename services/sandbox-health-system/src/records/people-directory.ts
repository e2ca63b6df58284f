import type { Release } from '../releases';
import type { PatientRecord } from './patient-record';
import type { People, Person } from './person';

/**
 * How many records are read before the CapabilityStatement lists the types of a release. Other records add their types
 * when they are read.
 */
const maxSampledRecords = 300;

/** Everyone who can sign in: the listed people, and people who are generated when their username is used. */
export class PeopleDirectory implements People {
  private readonly byUsername: Map<string, Person>;
  private readonly typesByRelease = new Map<Release, Map<string, { searchable: boolean }>>();
  private readonly samplings = new Map<Release, Promise<void>>();

  constructor(
    private readonly listedPeople: Person[],
    private readonly generate: (username: string) => Person | undefined,
  ) {
    this.byUsername = new Map(listedPeople.map((person) => [person.username, this.recordingTypes(person)]));
  }

  listed(): Person[] {
    return this.listedPeople;
  }

  find(username: string): Person | undefined {
    const known = this.byUsername.get(username);
    if (known) return known;
    const generated = this.generate(username);
    if (!generated) return undefined;
    const person = this.recordingTypes(generated);
    this.byUsername.set(username, person);
    return person;
  }

  async types(release: Release): Promise<Map<string, { searchable: boolean }>> {
    const sampling = this.samplings.get(release) ?? this.sample(release);
    this.samplings.set(release, sampling);
    await sampling;
    return this.typesOf(release);
  }

  private async sample(release: Release): Promise<void> {
    const people = this.listedPeople.filter((person) => person.releases.includes(release)).slice(0, maxSampledRecords);
    for (const { username } of people) {
      await this.byUsername
        .get(username)
        ?.record(release)
        .catch((error: unknown) => console.warn(`the record of ${username} cannot be read:`, error));
    }
  }

  /** The person, with records that add their types to those of the release when they are read. */
  private recordingTypes(person: Person): Person {
    return {
      ...person,
      record: async (release) => {
        const record = await person.record(release);
        if (record) this.addTypes(release, record);
        return record;
      },
    };
  }

  private addTypes(release: Release, record: PatientRecord): void {
    const types = this.typesOf(release);
    for (const { type, searchable } of record.types())
      types.set(type, { searchable: searchable || types.get(type)?.searchable === true });
  }

  private typesOf(release: Release): Map<string, { searchable: boolean }> {
    const types = this.typesByRelease.get(release) ?? new Map<string, { searchable: boolean }>();
    this.typesByRelease.set(release, types);
    return types;
  }
}
