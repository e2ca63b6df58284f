import type { Release } from '../releases';
import type { PatientRecord } from './patient-record';
import type { People, Person } from './person';

/** How many people's records are looked into before the server says which types it holds; the others add theirs when they sign in. */
const lookedInto = 300;

/** All who can sign in: those who are listed, and those who come into being when their name is called. */
export class Everyone implements People {
  private readonly byUsername: Map<string, Person>;
  private readonly seen = new Map<Release, Map<string, { searchable: boolean }>>();
  private readonly looks = new Map<Release, Promise<void>>();

  constructor(
    private readonly known: Person[],
    private readonly called: (username: string) => Person | undefined,
  ) {
    this.byUsername = new Map(known.map((person) => [person.username, this.noting(person)]));
  }

  listed(): Person[] {
    return this.known;
  }

  find(username: string): Person | undefined {
    const person = this.byUsername.get(username);
    if (person) return person;
    const newcomer = this.called(username);
    if (!newcomer) return undefined;
    const noting = this.noting(newcomer);
    this.byUsername.set(username, noting);
    return noting;
  }

  async types(release: Release): Promise<Map<string, { searchable: boolean }>> {
    const look = this.looks.get(release) ?? this.lookInto(release);
    this.looks.set(release, look);
    await look;
    return this.seenIn(release);
  }

  private async lookInto(release: Release): Promise<void> {
    const people = this.known.filter((person) => person.releases.includes(release)).slice(0, lookedInto);
    for (const { username } of people) {
      await this.byUsername
        .get(username)
        ?.record(release)
        .catch((error: unknown) => console.warn(`the record of ${username} cannot be read:`, error));
    }
  }

  private noting(person: Person): Person {
    return {
      ...person,
      record: async (release) => {
        const record = await person.record(release);
        if (record) this.note(release, record);
        return record;
      },
    };
  }

  private note(release: Release, record: PatientRecord): void {
    const seen = this.seenIn(release);
    for (const { type, searchable } of record.types())
      seen.set(type, { searchable: searchable || seen.get(type)?.searchable === true });
  }

  private seenIn(release: Release): Map<string, { searchable: boolean }> {
    const seen = this.seen.get(release) ?? new Map<string, { searchable: boolean }>();
    this.seen.set(release, seen);
    return seen;
  }
}
