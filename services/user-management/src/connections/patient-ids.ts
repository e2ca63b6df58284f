import type { DataKey } from '@tributary/key-vault';

const associatedData = 'connection patient_id';

export interface SealedPatientId {
  sealed: Buffer;
  /** Distinguishes two patients of a user without revealing their ids. */
  blindIndex: Buffer;
}

/** Seals the id of a patient at a health system. @param key of the user */
export function sealPatientId(key: DataKey, patientId: string): SealedPatientId {
  return { sealed: key.sealText(patientId, associatedData), blindIndex: key.blindIndex('patient-id', patientId) };
}

/** @param key of the user @throws UnsealingError when another key sealed it */
export function openPatientId(key: DataKey, sealed: Buffer): string {
  return key.openText(sealed, associatedData);
}
