import { createHmac } from 'node:crypto';
import type { UserKeys } from '../users/user-keys';

const associatedData = 'connection patient_id';

/** Ids of patients at health systems, sealed under the user's key; the blind one tells two patients apart without showing them. */
export class PatientIds {
  constructor(private readonly keys: UserKeys) {}

  async seal(serviceUserId: number, patientId: string): Promise<{ sealed: Buffer; blind: Buffer }> {
    const key = await this.keys.of(serviceUserId);
    return {
      sealed: key.sealText(patientId, associatedData),
      blind: createHmac('sha256', key.derive('patient-id')).update(patientId).digest().subarray(0, 16),
    };
  }

  async open(serviceUserId: number, sealed: Buffer): Promise<string> {
    return (await this.keys.of(serviceUserId)).openText(sealed, associatedData);
  }
}
