import type { HumanName, History, PostalAddress } from './facts';
import type { Profile } from './profile';
import type { Random } from './random';

const familyNames = [
  'Abbott',
  'Castillo',
  'Dufresne',
  'Eriksen',
  'Fontaine',
  'Gallagher',
  'Hosseini',
  'Ivanova',
  'Kowalski',
  'Nakamura',
  'Okonkwo',
  'Petrov',
];
const femaleNames = ['Adaeze', 'Beatrice', 'Clara', 'Dalia', 'Elena', 'Farah'];
const maleNames = ['Anton', 'Bruno', 'Cedric', 'Dmitri', 'Emeka', 'Felix'];
const organizationNames = ['Sandbox General Hospital', 'Lakeside Family Practice'];
const streets = ['Cedar Street', 'Harbor Road', 'Mill Lane', 'Orchard Avenue'];

/** The `lastUpdated` of staff and locations. */
const opened = new Date(Date.UTC(2010, 0, 4));

/** A history without encounters: the person, related people, staff and locations. */
export function initialHistory(profile: Profile, random: Random): History {
  const organizations = organizationNames.map((name, index) => ({
    id: random.id(`organization-${index}`),
    recorded: opened,
    name,
    address: addressBy(random),
    phone: phoneBy(random),
  }));
  const locations = organizations.map(({ id, name, address }, index) => ({
    id: random.id(`location-${index}`),
    recorded: opened,
    name: `${name}, outpatient clinic`,
    organizationId: id,
    address,
  }));
  const practitioners = [0, 1, 2].map((index) => {
    const gender = randomGender(random);
    return {
      id: random.id(`practitioner-${index}`),
      recorded: opened,
      name: { ...randomName(random, gender), prefix: 'Dr.' },
      gender,
      npi: `99999${random.integer(10_000, 99_999)}`,
      organizationId: organizations[index % 2]!.id,
    };
  });
  const partner = randomGender(random);
  return {
    patient: {
      id: random.id('patient'),
      recorded: opened,
      name: { family: profile.family, given: [profile.given] },
      gender: profile.gender,
      birthDate: profile.birthDate,
      address: addressBy(random),
      phone: phoneBy(random),
      recordNumber: `SBX-${random.integer(100_000, 999_999)}`,
      married: Date.parse(profile.birthDate) < Date.UTC(1995, 0, 1),
      practitionerId: practitioners[0]!.id,
      organizationId: organizations[0]!.id,
    },
    relatedPersons: [
      {
        id: random.id('mother'),
        recorded: opened,
        name: { ...randomName(random, 'female'), family: profile.family },
        gender: 'female',
        relationship: { code: 'MTH', display: 'mother' },
        phone: phoneBy(random),
      },
      {
        id: random.id('friend'),
        recorded: opened,
        name: randomName(random, partner),
        gender: partner,
        relationship: { code: 'FRND', display: 'unrelated friend' },
        phone: phoneBy(random),
      },
    ],
    organizations,
    locations,
    practitioners,
    medications: profile.chronic.map(({ medication }, index) => ({
      id: random.id(`medication-${index}`),
      recorded: opened,
      code: medication,
    })),
    encounters: [],
    observations: [],
    conditions: [],
    allergies: [],
    procedures: [],
    prescriptions: [],
    medicationStatements: [],
    immunizations: [],
    reports: [],
    documents: [],
  };
}

/** A random name. */
export function randomName(random: Random, gender: 'female' | 'male'): HumanName {
  return { family: random.pick(familyNames), given: [random.pick(gender === 'female' ? femaleNames : maleNames)] };
}

export function randomGender(random: Random): 'female' | 'male' {
  return random.chance(0.5) ? 'female' : 'male';
}

function addressBy(random: Random): PostalAddress {
  return {
    line: `${random.integer(1, 240)} ${random.pick(streets)}`,
    city: 'Springfield',
    state: 'IL',
    postalCode: `627${random.integer(10, 99)}`,
  };
}

function phoneBy(random: Random): string {
  return `217-555-01${random.integer(10, 99)}`;
}
