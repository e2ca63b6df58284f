import type { PatientRecord, ResourceList } from '../../records/patient-record';
import type { StoredResource } from '../../records/stored-resource';
import type { Scenario } from '../scenario';

const negativeId = '-20140000008325';

/** A record whose Patient has another id. */
class RenamedPatient implements PatientRecord {
  readonly patientId = negativeId;

  constructor(private readonly record: PatientRecord) {}

  types(): { type: string; searchable: boolean }[] {
    return this.record.types();
  }

  list(type: string): ResourceList {
    const list = this.record.list(type);
    return { length: list.length, at: (index) => this.#renamed(list.at(index)) };
  }

  read(type: string, id: string): StoredResource | undefined {
    const isPatient = type === 'Patient' && id === negativeId;
    return this.#renamed(this.record.read(type, isPatient ? this.record.patientId : id));
  }

  #renamed(resource: StoredResource | undefined): StoredResource | undefined {
    if (!resource) return undefined;
    const { patientId } = this.record;
    const isPatient = resource.type === 'Patient' && resource.id === patientId;
    const text = resource.text.replaceAll(`"Patient/${patientId}"`, `"Patient/${negativeId}"`);
    return {
      ...resource,
      id: isPatient ? negativeId : resource.id,
      text: isPatient ? text.replace(JSON.stringify(patientId), JSON.stringify(negativeId)) : text,
    };
  }
}

export const patientNegative: Scenario = {
  name: 'patient-negative',
  area: 'Connecting',
  does: 'Has a Patient whose id is a negative number.',
  record: (record) => new RenamedPatient(record),
  tokens: { otherUser: () => `Patient/${negativeId}` },
  tokenResponse: (response) => ({ ...response, patient: negativeId }),
};
