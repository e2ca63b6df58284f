import type { PatientRecord, ResourceList } from '../records/patient-record';
import type { StoredResource } from '../records/stored-resource';
import type { Release } from '../releases';
import { checkUp, influenzaVaccine, passingConditions, procedures, shortMedications } from './codes/clinical';
import { panels } from './codes/measurements';
import type { History } from './facts';
import { measure } from './add-measurements';
import { Random } from './random';
import { condition } from './render/condition';
import { encounter } from './render/encounter';
import { storedOf } from './render/history';
import { prescription } from './render/medication';
import { observation } from './render/observation';
import { patient, practitioner } from './render/people';
import { location, organization } from './render/locations';
import { immunization, procedure } from './render/treatment';
import { initialHistory } from './initial-history';

/** The share of each type in the record, in percent; the rest is Observation. */
const shares = new Map(Object.entries({ Encounter: 10, Condition: 4, Procedure: 6, Medication: 8, Immunization: 2 }));

const firstDay = Date.UTC(2004, 0, 5, 9);
const hour = 3_600_000;

/** The hours between an event and its recording. */
const recordedAfter = 24;

type Maker = (index: number) => object;

/** A record of a given size whose resources are generated on access; nothing is stored. */
export class LoadRecord implements PatientRecord {
  static readonly smallest = 20;
  readonly patientId: string;
  private readonly makers = new Map<string, { count: number; make: Maker }>();
  private readonly shared: StoredResource[];
  private readonly history: History;

  constructor(
    private readonly size: number,
    private readonly release: Release,
  ) {
    const random = new Random(`load-${size}`);
    const profile = {
      username: `load-${size}`,
      given: 'Load',
      family: 'Test',
      gender: 'female' as const,
      birthDate: '1960-01-01',
      chronic: [],
      encounters: 0,
    };
    this.history = initialHistory(profile, random);
    this.patientId = this.history.patient.id;
    this.shared = this.sharedResources();
    this.planTypes();
  }

  types(): { type: string; searchable: boolean }[] {
    const shared = [...new Set(this.shared.map(({ type }) => type))];
    return [
      ...[...this.makers.keys()].map((type) => ({ type, searchable: true })),
      ...shared.map((type) => ({ type, searchable: false })),
    ];
  }

  list(type: string): ResourceList {
    const maker = this.makers.get(type);
    if (!maker) return [];
    return {
      length: maker.count,
      at: (index) => (index >= 0 && index < maker.count ? storedOf(maker.make(index)) : undefined),
      lastUpdated: (index) =>
        (type === 'Patient' ? this.history.patient.recorded : this.instant(index, recordedAfter)).getTime(),
    };
  }

  read(type: string, id: string): StoredResource | undefined {
    const shared = this.shared.find((resource) => resource.type === type && resource.id === id);
    if (shared) return shared;
    const index = id === this.patientId ? 0 : Number(/-(\d+)$/.exec(id)?.[1] ?? -1);
    const found = this.list(type).at(index);
    return found?.id === id ? found : undefined;
  }

  /** One resource of each type, so that every resource of the record can be reached from another one. */
  private sharedResources(): StoredResource[] {
    const { organizations, locations, practitioners } = this.history;
    return [
      organization(organizations[0]!, this.release),
      location(locations[0]!, this.release),
      practitioner(practitioners[0]!, this.release),
    ].map(storedOf);
  }

  private planTypes(): void {
    const left = this.size - this.shared.length - 1;
    const count = (name: string): number => Math.floor((left * shares.get(name)!) / 100);
    const many = [...shares.keys()].reduce((sum, name) => sum + count(name), 0);
    const { release, patientId } = this;
    this.makers.set('Patient', { count: 1, make: () => patient(this.history.patient, release) });
    this.makers.set('Encounter', {
      count: count('Encounter'),
      make: (index) => encounter(this.encounterFact(index), patientId, release),
    });
    this.makers.set('Observation', { count: left - many, make: (index) => this.observationAt(index) });
    this.makers.set('Condition', {
      count: count('Condition'),
      make: (index) =>
        condition(
          {
            ...this.about('condition', index),
            code: passingConditions[index % passingConditions.length]!,
            resolved: this.instant(index, 200),
          },
          patientId,
          release,
        ),
    });
    this.makers.set('Procedure', {
      count: count('Procedure'),
      make: (index) =>
        procedure(
          {
            ...this.about('procedure', index),
            code: procedures[index % procedures.length]!,
            end: this.instant(index, 1),
          },
          patientId,
          release,
        ),
    });
    this.makers.set(release === 'dstu2' ? 'MedicationOrder' : 'MedicationRequest', {
      count: count('Medication'),
      make: (index) => this.prescriptionAt(index),
    });
    this.makers.set('Immunization', {
      count: count('Immunization'),
      make: (index) =>
        immunization(
          {
            ...this.about('immunization', index),
            code: influenzaVaccine,
            lot: `L${index}`,
            expires: this.instant(index, 9000),
            locationId: this.history.locations[0]!.id,
          },
          patientId,
          release,
        ),
    });
  }

  private encounterFact(index: number) {
    const { locations, organizations, practitioners } = this.history;
    return {
      id: `encounter-${index}`,
      recorded: this.instant(index, recordedAfter),
      kind: 'ambulatory' as const,
      type: checkUp,
      start: this.instant(index, 0),
      end: this.instant(index, 1),
      practitionerId: practitioners[0]!.id,
      organizationId: organizations[0]!.id,
      locationId: locations[0]!.id,
    };
  }

  private observationAt(index: number): object {
    const { measurements } = panels[index % panels.length]!;
    const measured = measure(measurements[index % measurements.length]!, new Random(`observation-${index}`));
    return observation(
      { ...this.about('observation', index), category: 'laboratory', code: measured.measurement.code, measured },
      this.patientId,
      this.release,
    );
  }

  private prescriptionAt(index: number): object {
    const medication = { code: shortMedications[index % shortMedications.length]! };
    return prescription(
      {
        ...this.about('prescription', index),
        medication,
        dosage: 'Take 1 by mouth daily',
        days: 30,
        refills: 0,
        active: false,
      },
      this.patientId,
      this.release,
    );
  }

  private about(kind: string, index: number) {
    const encounters = this.makers.get('Encounter')?.count ?? 1;
    return {
      id: `${kind}-${index}`,
      recorded: this.instant(index, recordedAfter),
      encounterId: `encounter-${index % encounters}`,
      practitionerId: this.history.practitioners[0]!.id,
      at: this.instant(index, 0),
    };
  }

  /** One event per hour over twenty years; then the times repeat. */
  private instant(index: number, hoursLater: number): Date {
    return new Date(firstDay + ((index % 175_000) + hoursLater) * hour);
  }
}
