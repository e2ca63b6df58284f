import {
  checkUp,
  dischargeSummary,
  documentTypes,
  emergency,
  followUp,
  hospitalStay,
  symptomVisit,
  allergies,
  manifestations,
  passingConditions,
  procedures,
  selfTakenMedications,
  shortMedications,
  type ChronicCondition,
} from './codes/clinical';
import type { Concept } from './codes/concept';
import { atEncounter, type EncounterFact, type History } from './facts';
import type { Profile } from './profile';
import { addLaboratoryPanel, addVitalSigns } from './add-measurements';
import { Random } from './random';
import { initialHistory } from './initial-history';
import { addVaccinations } from './add-vaccinations';

/** Generated histories end on this day, so that records do not depend on the current date. */
const lastDay = Date.UTC(2024, 5, 1);
const day = 86_400_000;
const minute = 60_000;

/** Generates the history of a person with a health system over ten years. */
export function generateHistory(profile: Profile): History {
  const random = new Random(profile.username);
  const history = initialHistory(profile, random);
  const start = Math.max(Date.parse(profile.birthDate), lastDay - 3650 * day);
  for (let index = 0; index < profile.encounters; index += 1) {
    const at = start + ((lastDay - start) * (index + 0.2 + random.next() * 0.6)) / profile.encounters;
    attend(profile, history, random, index, new Date(Math.floor(at / (15 * minute)) * 15 * minute));
  }
  allergiesOf(history, random);
  for (const [index, code] of random.some(selfTakenMedications, 2).entries()) {
    const asserted = history.encounters.at(-1)!.start;
    history.medicationStatements.push({
      id: random.id(`statement-${index}`),
      recorded: asserted,
      code,
      since: new Date(asserted.getTime() - 200 * day),
      asserted,
    });
  }
  return history;
}

/** Adds one encounter and its results. */
function attend(profile: Profile, history: History, random: Random, index: number, start: Date): void {
  const kind = random.chance(0.08) ? 'emergency' : random.chance(0.06) ? 'inpatient' : 'ambulatory';
  const ill = kind !== 'ambulatory' || random.chance(0.35);
  const reason = ill ? random.pick(passingConditions) : undefined;
  const locationIndex = random.integer(0, history.locations.length - 1);
  const encounter: EncounterFact = {
    id: random.id(`encounter-${index}`),
    recorded: new Date(start.getTime() + day),
    kind,
    type:
      kind === 'emergency'
        ? emergency
        : kind === 'inpatient'
          ? hospitalStay
          : ill
            ? symptomVisit
            : index % 2 === 0
              ? checkUp
              : followUp,
    ...(reason ? { reason } : {}),
    start,
    end: new Date(
      start.getTime() + (kind === 'inpatient' ? random.integer(1, 5) * day : random.integer(1, 4) * 15 * minute),
    ),
    practitionerId: random.pick(history.practitioners).id,
    organizationId: history.locations[locationIndex]!.organizationId,
    locationId: history.locations[locationIndex]!.id,
  };
  history.encounters.push(encounter);
  addVitalSigns(history, encounter, random, index);
  if (index % 3 === 0) addLaboratoryPanel(history, encounter, random, index, profile.chronic.length > 0);
  if (reason) fallIll(history, encounter, reason, random, index);
  const chronic = profile.chronic[index];
  if (chronic) diagnose(history, encounter, chronic, random, index);
  if (index % 4 === 1) renew(profile, history, encounter, random, index);
  if (random.chance(0.6)) {
    history.procedures.push({
      ...atEncounter(encounter),
      id: random.id(`procedure-${index}`),
      code: random.pick(procedures),
      end: new Date(start.getTime() + 15 * minute),
    });
  }
  addVaccinations(profile.birthDate, history, encounter, random, index);
  document(history, encounter, random, index);
}

function fallIll(history: History, encounter: EncounterFact, code: Concept, random: Random, index: number): void {
  history.conditions.push({
    ...atEncounter(encounter),
    id: random.id(`illness-${index}`),
    code,
    resolved: new Date(encounter.start.getTime() + random.integer(5, 20) * day),
  });
  history.prescriptions.push({
    ...atEncounter(encounter),
    id: random.id(`short-${index}`),
    medication: { code: random.pick(shortMedications) },
    dosage: 'Take 1 by mouth every 8 hours for 7 days',
    reason: code,
    days: 7,
    refills: 0,
    active: false,
  });
}

function diagnose(
  history: History,
  encounter: EncounterFact,
  chronic: ChronicCondition,
  random: Random,
  index: number,
): void {
  history.conditions.push({
    ...atEncounter(encounter),
    id: random.id(`lasting-${index}`),
    code: chronic.condition,
  });
}

/** Renews the prescriptions for chronic conditions; the last prescription is active. */
function renew(profile: Profile, history: History, encounter: EncounterFact, random: Random, index: number): void {
  for (const [conditionIndex, chronic] of profile.chronic.entries()) {
    if (conditionIndex > index) continue;
    const drug = history.medications[conditionIndex];
    history.prescriptions.push({
      ...atEncounter(encounter),
      id: random.id(`renewal-${index}-${conditionIndex}`),
      medication: drug ? { id: drug.id, display: drug.code.display } : { code: chronic.medication },
      dosage: chronic.dosage,
      reason: chronic.condition,
      days: 90,
      refills: 3,
      active: index + 4 >= profile.encounters,
    });
  }
}

function allergiesOf(history: History, random: Random): void {
  const first = history.encounters[0]!;
  for (const [index, { code, category }] of random.some(allergies, random.integer(1, 3)).entries()) {
    history.allergies.push({
      id: random.id(`allergy-${index}`),
      recorded: first.recorded,
      code,
      category,
      manifestation: random.pick(manifestations),
      severe: random.chance(0.25),
      practitionerId: first.practitionerId,
    });
  }
}

function document(history: History, encounter: EncounterFact, random: Random, index: number): void {
  if (encounter.kind === 'ambulatory' && !random.chance(0.3)) return;
  const type = encounter.kind === 'inpatient' ? dischargeSummary : random.pick(documentTypes);
  const { given, family } = history.patient.name;
  const when = encounter.start.toISOString().slice(0, 10);
  history.documents.push({
    ...atEncounter(encounter),
    id: random.id(`document-${index}`),
    binaryId: random.id(`binary-${index}`),
    organizationId: encounter.organizationId,
    at: encounter.end,
    type,
    title: `${type.display}, ${when}`,
    contentType: 'text/plain; charset=utf-8',
    content: `${type.display}\n\nPatient: ${given.join(' ')} ${family}\nDate: ${when}\nReason: ${encounter.reason?.display ?? encounter.type.display}\n\nThe patient was seen and examined. Findings and measurements are in the record.\nThis is a pretend document about a pretend person.\n`,
  });
}
