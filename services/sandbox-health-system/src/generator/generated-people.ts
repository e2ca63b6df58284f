import { StoredRecord, type PatientRecord } from '../records/patient-record';
import type { Person } from '../records/person';
import { releases, type Release } from '../releases';
import {
  asthma,
  diabetes,
  heartFailure,
  hyperlipidemia,
  hypertension,
  hypothyroidism,
  chronicConditions,
} from './codes/clinical';
import { generateHistory } from './generate-history';
import type { Profile } from './profile';
import { LoadRecord } from './load-record';
import { Random } from './random';
import { resourcesOfHistory } from './render/history';
import { randomGender, randomName } from './initial-history';

const profiles: Profile[] = [
  {
    username: 'amelia-hart',
    given: 'Amelia',
    family: 'Hart',
    gender: 'female',
    birthDate: '1957-03-14',
    chronic: [hypertension, diabetes, hyperlipidemia],
    encounters: 44,
  },
  {
    username: 'noah-okafor',
    given: 'Noah',
    family: 'Okafor',
    gender: 'male',
    birthDate: '2012-08-30',
    chronic: [asthma],
    encounters: 34,
  },
  {
    username: 'lucia-marin',
    given: 'Lucía',
    family: 'Marín',
    gender: 'female',
    birthDate: '1988-11-02',
    chronic: [hypothyroidism],
    encounters: 30,
  },
  {
    username: 'walter-lindqvist',
    given: 'Walter',
    family: 'Lindqvist',
    gender: 'male',
    birthDate: '1944-06-21',
    chronic: [heartFailure, hypertension, diabetes],
    encounters: 56,
  },
  {
    username: 'grace-tanaka',
    given: 'Grace',
    family: 'Tanaka',
    gender: 'female',
    birthDate: '1999-01-27',
    chronic: [],
    encounters: 28,
  },
];

const largestLoad = 5_000_000;

/** The generated people that are listed. */
export function generatedPeople(): Person[] {
  return profiles.map(personOfProfile);
}

/**
 * A generated person by username: a listed one, `person-{n}` (a person for every number), `brief-{n}` (a person with a
 * short record) or `load-{n}` (a record of exactly n resources, generated on access).
 */
export function generatedPerson(username: string): Person | undefined {
  const profile = profiles.find((known) => known.username === username);
  if (profile) return personOfProfile(profile);
  const match = /^(person|brief|load)-([1-9]\d{0,6})$/.exec(username);
  if (!match) return undefined;
  const number = Number(match[2]);
  if (match[1] === 'person') return personOfProfile(profileByNumber(username, 22, 45));
  if (match[1] === 'brief') return personOfProfile(profileByNumber(username, 6, 8));
  return number < LoadRecord.smallest || number > largestLoad
    ? undefined
    : personOf(username, (release) => new LoadRecord(number, release));
}

function personOfProfile(profile: Profile): Person {
  return personOf(
    profile.username,
    (release) => new StoredRecord(resourcesOfHistory(generateHistory(profile), release)),
  );
}

function personOf(username: string, recordIn: (release: Release) => PatientRecord): Person {
  const records = new Map<Release, PatientRecord>();
  return {
    username,
    releases: [...releases],
    record(release) {
      const record = records.get(release) ?? recordIn(release);
      records.set(release, record);
      return Promise.resolve(record);
    },
  };
}

function profileByNumber(username: string, leastEncounters: number, mostEncounters: number): Profile {
  const random = new Random(username);
  const gender = randomGender(random);
  const { family, given } = randomName(random, gender);
  const born = new Date(Date.UTC(random.integer(1940, 2015), random.integer(0, 11), random.integer(1, 28)));
  return {
    username,
    family,
    given: given[0]!,
    gender,
    birthDate: born.toISOString().slice(0, 10),
    chronic: random.some(chronicConditions, random.integer(0, 3)),
    encounters: random.integer(leastEncounters, mostEncounters),
  };
}
