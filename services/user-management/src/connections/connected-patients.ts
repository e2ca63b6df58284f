import { createHmac } from 'node:crypto';
import type { ScopedKeys } from '@tributary/key-vault';
import { keyScopeOfUser } from './key-scope';

const place = 'connection patient_id';

/** Ids of patients at health systems, sealed under the user's key; the blind one tells two patients apart without showing them. */
export class ConnectedPatients {
  constructor(private readonly keys: ScopedKeys) {}

  async seal(serviceUserId: number, patientId: string): Promise<{ sealed: Buffer; blind: Buffer }> {
    const key = await this.keys.keyFor(keyScopeOfUser(serviceUserId));
    return { sealed: key.sealText(patientId, place), blind: createHmac('sha256', key.derive('patient-id')).update(patientId).digest().subarray(0, 16) };
  }

  async open(serviceUserId: number, sealed: Buffer): Promise<string> {
    return (await this.keys.keyFor(keyScopeOfUser(serviceUserId))).openText(sealed, place);
  }
}
