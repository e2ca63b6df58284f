import { type Person, isOtherPerson, person } from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import type { EntityManager } from 'typeorm';

export class OtherPerson extends Error {
  constructor() {
    super('the Patient is another person than those of the record');
    this.name = 'OtherPerson';
  }
}

const patientIdData = 'connection patient_id';
const personData = 'connection person';

export interface SealedPatientId {
  sealed: Buffer;
  /** Distinguishes two patients of a user without revealing their ids. */
  blindIndex: Buffer;
}

/** Seals the id of a patient at a health system. @param key of the user */
export function sealPatientId(key: DataKey, patientId: string): SealedPatientId {
  return { sealed: key.sealText(patientId, patientIdData), blindIndex: key.blindIndex('patient-id', patientId) };
}

/** @param key of the user @throws UnsealingError when another key sealed it */
export function openPatientId(key: DataKey, sealed: Buffer): string {
  return key.openText(sealed, patientIdData);
}

/** @param key of the user */
export function sealPerson(key: DataKey, found: Person): Buffer {
  return key.sealText(JSON.stringify(found), personData);
}

/** @param key of the user @throws UnsealingError when another key sealed it */
export function openPerson(key: DataKey, sealed: Buffer): Person {
  return person.parse(JSON.parse(key.openText(sealed, personData)));
}

/**
 * What the record of a user holds beside a Patient at a health system: whether this Patient is connected already, or
 * was; and the people of the connections of other Patients, as far as they were read, also of revoked ones, whose
 * resources stay.
 * @param manager of a transaction that holds the lock of the user, so that two sessions do not add two people at once
 * @param key of the user
 */
export async function peopleOfRecord(
  manager: EntityManager,
  key: DataKey,
  serviceUserId: number,
  { healthSystemId, blindIndex }: { healthSystemId: number | string; blindIndex: Buffer },
): Promise<{ isConnected: boolean; others: Person[] }> {
  const rows = (await manager.query(
    `SELECT person_sealed, health_system_id = $2 AND patient_id_blind_index = $3 AS is_same
     FROM connection WHERE service_user_id = $1`,
    [serviceUserId, healthSystemId, blindIndex],
  )) as { person_sealed: Buffer | null; is_same: boolean }[];
  const others = rows.flatMap(({ person_sealed, is_same }) =>
    person_sealed && !is_same ? [openPerson(key, person_sealed)] : [],
  );
  return { isConnected: rows.some(({ is_same }) => is_same), others };
}

/** Whether a Patient is another person than all of these. Nothing is said while nothing is known. */
export function isOtherThanAll(found: Person | undefined, others: readonly Person[]): boolean {
  const known = others.filter(({ birthDate, names }) => birthDate !== undefined || names.length > 0);
  return found !== undefined && known.length > 0 && known.every((other) => isOtherPerson(found, other));
}
