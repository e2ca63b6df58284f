import { type ResourceKey, type UserRecord, databaseClock, keyText } from '@tributary/record-storage';
import type { Pool } from 'pg';
import type { CollectedResource } from './collected-resource';
import type { CollectionSource } from './collection-source';

/** A reference whose target the record does not hold. */
export interface UnresolvedReference {
  readonly referrer: ResourceKey;
  readonly target: ResourceKey;
  /** Whether the resource contains the text of the source instead of a relative reference. */
  readonly reverted: boolean;
  /** `Type/id` of the source. */
  readonly sourceReference: string;
  /** The texts that the source wrote, in the order of the resource. */
  readonly texts: readonly string[];
  /** The target is stored, but may have changed since: its referrer has. */
  readonly isOutdated: boolean;
}

export interface MissingReference {
  readonly resource: CollectedResource;
  readonly reference: CollectedResource['references'][number];
  readonly isOutdated: boolean;
}

interface Row {
  referrer_type_code: number;
  referrer_id: string;
  target_type_code: number;
  target_id: string;
  reverted: boolean;
  reference: Buffer;
  is_outdated: boolean;
}

const columns = 'referrer_type_code, referrer_id, target_type_code, target_id, reverted, reference, is_outdated';

/**
 * The range of the primary key that contains all given referrers. The statements filter its rows by a hash table of the
 * referrers. `IS TRUE` prevents the planner from converting that filter to a join: the planner underestimates the rows
 * of a source and would choose a nested loop.
 */
const ofReferrersBetween =
  'user_id = $1 AND source = $2 AND (referrer_type_code, referrer_id) >= ($3::smallint, $4::uuid) AND (referrer_type_code, referrer_id) <= ($5::smallint, $6::uuid)';

/** The id before all others. */
const nil = '00000000-0000-0000-0000-000000000000';

/** The unresolved references of one source in one record. */
export class UnresolvedReferences {
  constructor(
    private readonly pool: Pool,
    private readonly userId: number,
    readonly source: CollectionSource,
  ) {}

  /** Deletes the unresolved references of resources of which a new version was written. */
  async forgetOf(written: readonly ResourceKey[]): Promise<void> {
    if (written.length === 0) return;
    await this.pool.query({
      name: 'unresolved-forget-of',
      text: `
        DELETE FROM fhir_store.unresolved_reference WHERE ${ofReferrersBetween}
          AND ((referrer_type_code, referrer_id) IN (SELECT * FROM unnest($7::smallint[], $8::uuid[]))) IS TRUE`,
      values: [...this.referrersOf(written), written.map(({ typeCode }) => typeCode), written.map(({ id }) => id)],
    });
  }

  /**
   * Inserts references to missing or outdated targets as pending. A known reference becomes pending again, with the
   * newest texts: an address can have a new signature.
   */
  async remember(unsorted: readonly MissingReference[]): Promise<void> {
    if (unsorted.length === 0) return;
    // All statements lock rows in the order of the primary key, so that they cannot deadlock.
    const missing = unsorted.toSorted(byPrimaryKey);
    await this.pool.query({
      name: 'unresolved-remember',
      text: `
        INSERT INTO fhir_store.unresolved_reference AS a (user_id, source, ${columns}, pending, remembered_at)
        SELECT $1, $2, referrer_type_code, referrer_id, target_type_code, target_id, false, reference, is_outdated, true, ${databaseClock}
        FROM unnest($3::smallint[], $4::uuid[], $5::smallint[], $6::uuid[], $7::bytea[], $8::boolean[])
          AS t (referrer_type_code, referrer_id, target_type_code, target_id, reference, is_outdated)
        WHERE EXISTS (SELECT FROM fhir_store.record WHERE user_id = $1 AND destroyed_at IS NULL)
        ON CONFLICT (user_id, source, referrer_type_code, referrer_id, target_type_code, target_id) DO UPDATE
          SET pending = true, remembered_at = excluded.remembered_at, reference = excluded.reference, is_outdated = excluded.is_outdated`,
      values: [
        this.userId,
        this.source.blinded,
        missing.map(({ resource }) => resource.change.typeCode),
        missing.map(({ resource }) => resource.change.id),
        missing.map(({ reference }) => reference.typeCode),
        missing.map(({ reference }) => reference.id),
        missing.map(({ resource, reference }) => this.seal(resource.change, reference)),
        missing.map(({ isOutdated }) => isOutdated),
      ],
    });
  }

  /** One page of the distinct targets of pending references, in the order of type code and id. */
  async pendingTargets(after: ResourceKey | undefined, limit: number): Promise<UnresolvedReference[]> {
    const { rows } = await this.pool.query<Row>({
      name: 'unresolved-pending',
      text: `
        SELECT DISTINCT ON (target_type_code, target_id) ${columns} FROM fhir_store.unresolved_reference
        WHERE user_id = $1 AND source = $2 AND pending AND (target_type_code, target_id) > ($3::smallint, $4::uuid)
        ORDER BY target_type_code, target_id, is_outdated DESC, referrer_type_code, referrer_id LIMIT $5`,
      values: [this.userId, this.source.blinded, after?.typeCode ?? 0, after?.id ?? nil, limit],
    });
    return rows.map((row) => this.read(row));
  }

  /**
   * Marks reverted references to these stored resources as pending. They become relative references at the end of the
   * collection.
   * @returns the number of references
   */
  async markArrived(targets: readonly ResourceKey[]): Promise<number> {
    if (targets.length === 0) return 0;
    const { rowCount } = await this.pool.query({
      name: 'unresolved-arrived',
      text: `
        WITH arrived AS MATERIALIZED (
          SELECT a.referrer_type_code, a.referrer_id, a.target_type_code, a.target_id
          FROM unnest($3::smallint[], $4::uuid[]) AS t (type_code, id)
          JOIN fhir_store.unresolved_reference a ON a.user_id = $1 AND a.source = $2 AND a.target_type_code = t.type_code AND a.target_id = t.id AND NOT a.pending
          ORDER BY a.referrer_type_code, a.referrer_id, a.target_type_code, a.target_id FOR UPDATE OF a
        )
        UPDATE fhir_store.unresolved_reference a SET pending = true FROM arrived
        WHERE a.user_id = $1 AND a.source = $2 AND a.referrer_type_code = arrived.referrer_type_code AND a.referrer_id = arrived.referrer_id
          AND a.target_type_code = arrived.target_type_code AND a.target_id = arrived.target_id`,
      values: [this.userId, this.source.blinded, targets.map(({ typeCode }) => typeCode), targets.map(({ id }) => id)],
    });
    return rowCount ?? 0;
  }

  /** One page of the pending references, in the order of the primary key. */
  async pending(after: UnresolvedReference | undefined, limit: number): Promise<UnresolvedReference[]> {
    const { rows } = await this.pool.query<Row>({
      name: 'unresolved-all-pending',
      text: `
        SELECT ${columns} FROM fhir_store.unresolved_reference
        WHERE user_id = $1 AND source = $2 AND pending
          AND (referrer_type_code, referrer_id, target_type_code, target_id) > ($3::smallint, $4::uuid, $5::smallint, $6::uuid)
        ORDER BY referrer_type_code, referrer_id, target_type_code, target_id LIMIT $7`,
      values: [
        this.userId,
        this.source.blinded,
        after?.referrer.typeCode ?? 0,
        after?.referrer.id ?? nil,
        after?.target.typeCode ?? 0,
        after?.target.id ?? nil,
        limit,
      ],
    });
    return rows.map((row) => this.read(row));
  }

  /** Deletes references whose target is stored or whose referrer no longer exists. */
  async forget(arrived: readonly UnresolvedReference[]): Promise<void> {
    await this.change(
      'unresolved-forget',
      `DELETE FROM fhir_store.unresolved_reference WHERE ${ofReferrersBetween}`,
      arrived,
    );
  }

  /** Marks references as reverted: their resources contain the texts of the source. */
  async markReverted(reverted: readonly UnresolvedReference[]): Promise<void> {
    await this.change(
      'unresolved-reverted',
      `UPDATE fhir_store.unresolved_reference SET pending = false, reverted = true, remembered_at = ${databaseClock} WHERE ${ofReferrersBetween} AND (pending OR NOT reverted)`,
      reverted,
    );
  }

  /** The keys of those resources that the record holds, as `typeCode/id`. */
  async present(record: UserRecord, targets: readonly ResourceKey[]): Promise<ReadonlySet<string>> {
    if (targets.length === 0) return new Set();
    return new Set((await record.currentVersions(targets)).map(keyText));
  }

  private async change(name: string, command: string, references: readonly UnresolvedReference[]): Promise<void> {
    if (references.length === 0) return;
    await this.pool.query({
      name,
      text: `${command} AND ((referrer_type_code, referrer_id, target_type_code, target_id) IN (SELECT * FROM unnest($7::smallint[], $8::uuid[], $9::smallint[], $10::uuid[]))) IS TRUE`,
      values: [
        ...this.referrersOf(references.map(({ referrer }) => referrer)),
        references.map(({ referrer }) => referrer.typeCode),
        references.map(({ referrer }) => referrer.id),
        references.map(({ target }) => target.typeCode),
        references.map(({ target }) => target.id),
      ],
    });
  }

  /** The parameters of `ofReferrersBetween` for at least one referrer. */
  private referrersOf(referrers: readonly ResourceKey[]): unknown[] {
    const sorted = referrers.toSorted(byKey);
    const [first, last] = [sorted[0] as ResourceKey, sorted.at(-1) as ResourceKey];
    return [this.userId, this.source.blinded, first.typeCode, first.id, last.typeCode, last.id];
  }

  private seal(
    referrer: ResourceKey,
    { sourceReference, texts, ...target }: CollectedResource['references'][number],
  ): Buffer {
    // The address of an attachment is long and equal to its text.
    const first = sourceReference === texts.at(-1) ? '' : sourceReference;
    return this.source.seal.sealText(JSON.stringify([first, ...texts]), associatedData(this.userId, referrer, target));
  }

  private read({
    referrer_type_code,
    referrer_id,
    target_type_code,
    target_id,
    reverted,
    reference,
    is_outdated: isOutdated,
  }: Row): UnresolvedReference {
    const referrer = { typeCode: referrer_type_code, id: referrer_id };
    const target = { typeCode: target_type_code, id: target_id };
    const [first = '', ...texts] = JSON.parse(
      this.source.seal.openText(reference, associatedData(this.userId, referrer, target)),
    ) as string[];
    const sourceReference = first === '' ? (texts.at(-1) ?? '') : first;
    return { referrer, target, reverted, sourceReference, texts, isOutdated };
  }
}

/** Deletes the unresolved references of destroyed records. */
export async function deleteUnresolvedReferences(pool: Pool, userIds: readonly number[]): Promise<void> {
  await pool.query({
    name: 'unresolved-destroy',
    text: 'DELETE FROM fhir_store.unresolved_reference WHERE user_id = ANY ($1::bigint[])',
    values: [userIds],
  });
}

/**
 * The retention of a reverted reference in milliseconds. Afterwards the text of the source stays in the resource even
 * when the target is stored.
 */
const retentionMs = 180 * 24 * 3600 * 1000;
const maxDeleted = 500;

/**
 * Deletes some of the references that are older than the retention.
 * @returns the number of deleted rows; 0 when none is left
 */
export async function deleteOldUnresolvedReferences(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'unresolved-forget-old',
    text: `
      WITH old AS MATERIALIZED (
        SELECT user_id, source, referrer_type_code, referrer_id, target_type_code, target_id FROM fhir_store.unresolved_reference
        WHERE NOT pending AND remembered_at < (SELECT ${databaseClock} - $1::bigint) ORDER BY remembered_at LIMIT ${maxDeleted} FOR UPDATE SKIP LOCKED
      )
      DELETE FROM fhir_store.unresolved_reference a USING old
      WHERE a.user_id = old.user_id AND a.source = old.source AND a.referrer_type_code = old.referrer_type_code AND a.referrer_id = old.referrer_id
        AND a.target_type_code = old.target_type_code AND a.target_id = old.target_id`,
    values: [retentionMs],
  });
  return rowCount ?? 0;
}

function byPrimaryKey(a: MissingReference, b: MissingReference): number {
  return byKey(a.resource.change, b.resource.change) || byKey(a.reference, b.reference);
}

function byKey(a: ResourceKey, b: ResourceKey): number {
  if (a.typeCode !== b.typeCode) return a.typeCode - b.typeCode;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

function associatedData(userId: number, referrer: ResourceKey, target: ResourceKey): string {
  return `awaited ${userId} ${keyText(referrer)} ${keyText(target)}`;
}
