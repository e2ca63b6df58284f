import type { PatientRecord, ResourceList } from '../records/patient-record';
import type { StoredResource } from '../records/stored-resource';

/** A record whose Patient has another id. */
export class RenamedPatient implements PatientRecord {
  constructor(
    private readonly record: PatientRecord,
    readonly patientId: string,
  ) {}

  types(): { type: string; searchable: boolean }[] {
    return this.record.types();
  }

  list(type: string): ResourceList {
    const list = this.record.list(type);
    return { length: list.length, at: (index) => this.#renamed(list.at(index)) };
  }

  read(type: string, id: string): StoredResource | undefined {
    const isPatient = type === 'Patient' && id === this.patientId;
    return this.#renamed(this.record.read(type, isPatient ? this.record.patientId : id));
  }

  #renamed(resource: StoredResource | undefined): StoredResource | undefined {
    if (!resource) return undefined;
    const oldId = this.record.patientId;
    const isPatient = resource.type === 'Patient' && resource.id === oldId;
    const text = resource.text.replaceAll(`"Patient/${oldId}"`, `"Patient/${this.patientId}"`);
    return {
      ...resource,
      id: isPatient ? this.patientId : resource.id,
      text: isPatient ? text.replace(JSON.stringify(oldId), JSON.stringify(this.patientId)) : text,
    };
  }
}
