import type { ConnectionForCollection, TypeAccess } from '@tributary/contracts';
import type { HealthSystemClient } from '../../health-system/health-system-client';
import { type AttachmentLimits, collectReferences } from './collect-references';
import type { CollectedRecord } from '../record/collected-record';
import { grantedAccess } from '../plan/granted-types';
import { markNotFoundUncertain, warn } from '../../checkpoints/progress';
import type { TypeFailed } from '../../health-system/type-failed';
import { maxInconspicuouslyGone, reconcileDeletions } from '../reconcile/reconcile-deletions';

export interface ReferredResourcesOptions {
  connection: ConnectionForCollection;
  client: HealthSystemClient;
  record: CollectedRecord;
  attachments: AttachmentLimits;
  /** The types that the next collection reads in full when the address of an attachment has expired. */
  addressesExpireOf: ReadonlySet<string>;
}

/** What an attempt reads by id: the targets of references, and what the record holds beyond the searches. */
export class ReferredResources {
  readonly #tried = new Set<string>();
  /** References by type that were answered with 404 or 410 in this attempt. */
  readonly #gone = new Map<string, number>();

  constructor(private readonly on: ReferredResourcesOptions) {}

  /**
   * Collects the targets of references. One that failed is tried again by the next call; a refused one is not.
   * @returns the targets that could not be read although they were not refused
   */
  async collect(isWanted: (type: string) => boolean): Promise<TypeFailed[]> {
    const { connection, client, record, attachments } = this.on;
    const accessTo = grantedAccess(connection.granted_scope, connection.consented_types);
    return collectReferences({
      release: connection.fhirVersion,
      client,
      attachments,
      tried: this.#tried,
      gone: this.#gone,
      isWanted: (type) => isWanted(type) && this.#isReadable(type, accessTo(type)),
      unresolved: (after) => record.unresolvedReferences(after),
      store: (resources) => record.store(resources),
      checkpointOf: (type) => record.checkpointOf(type),
      checkpoints: () => record.checkpoints,
      expired: () => record.readAgain(this.on.addressesExpireOf),
      save: (types) => record.save(types.map((type) => record.checkpointOf(type))),
    });
  }

  /** A health system of which nothing of a type was ever read may have moved it, or not offer it to us. */
  async markGoneUncertain(): Promise<void> {
    const { record } = this.on;
    for (const [type, gone] of this.#gone) {
      const { progress } = record.checkpointOf(type);
      if (gone <= maxInconspicuouslyGone || progress.fetched > 0) continue;
      const { references } = await record.held({ type, without: [] }, undefined);
      if (references.length === 0) markNotFoundUncertain(progress);
    }
  }

  /** A type that is granted for searching only is reported once a reference leads to it. */
  #isReadable(type: string, { read, search }: TypeAccess): boolean {
    if (!read && search)
      warn(
        this.on.record.checkpointOf(type).progress,
        'granted_in_part',
        `the granted scopes allow to search for ${type}, but not to read what only references lead to`,
      );
    return read;
  }

  /** Reads what the searches of a later collection did not return, and deletes what is gone. */
  async verify(): Promise<void> {
    const { connection, client, record, attachments } = this.on;
    const accessTo = grantedAccess(connection.granted_scope, connection.consented_types);
    await reconcileDeletions({
      release: connection.fhirVersion,
      patientId: connection.patient_id,
      client,
      attachments,
      checkpoints: record.checkpoints,
      isReadable: (type) => accessTo(type).read,
      returnedIds: (type) => record.returnedIds(type),
      held: (wanted, after) => record.held(wanted, after),
      store: (resources) => record.store(resources),
      deleteResources: (deletions) => record.deleteResources(deletions),
      save: (checkpoint) => record.save([checkpoint]),
    });
  }
}
