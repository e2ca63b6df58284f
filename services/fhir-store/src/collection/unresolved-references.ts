import { type ResourceKey, type UserRecord, keyText } from '@tributary/record-storage';
import type { Pool } from 'pg';
import type { CollectedResource } from './collected-resource';
import type { CollectionSource } from './collection-source';

/** A reference that is remembered until its target comes or the collection ends. */
export interface UnresolvedReference {
  readonly referrer: ResourceKey;
  readonly target: ResourceKey;
  /** The resource holds the source's own text again. */
  readonly reverted: boolean;
  /** `Type/id` of the source. */
  readonly sourceReference: string;
  /** The texts that the source wrote, in the order of the resource. */
  readonly texts: readonly string[];
}

interface MissingReference {
  readonly resource: CollectedResource;
  readonly reference: CollectedResource['references'][number];
}

interface Row {
  referrer_type_code: number;
  referrer_id: string;
  target_type_code: number;
  target_id: string;
  reverted: boolean;
  reference: Buffer;
}

/** The clock of the database in epoch milliseconds. */
const now = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

const columns = 'referrer_type_code, referrer_id, target_type_code, target_id, reverted, reference';

/**
 * The range of the primary key that contains all given referrers. The statements filter its rows by a hash table of the referrers. `IS TRUE` prevents the planner from
 * converting that filter to a join: it underestimates the rows of a source and would choose a nested loop.
 */
const ofReferrersBetween =
  'user_id = $1 AND source = $2 AND (referrer_type_code, referrer_id) >= ($3::smallint, $4::uuid) AND (referrer_type_code, referrer_id) <= ($5::smallint, $6::uuid)';

/** The unresolved references of one source in one record. */
export class UnresolvedReferences {
  constructor(
    private readonly pool: Pool,
    private readonly userId: number,
    private readonly source: CollectionSource,
  ) {}

  /** Forgets what resources waited for that have just been written anew. */
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

  /** Remembers references to targets that are missing; one that was already known is asked for again. */
  async remember(unsorted: readonly MissingReference[]): Promise<void> {
    if (unsorted.length === 0) return;
    // All statements lock rows in the order of the primary key, so that they cannot deadlock.
    const missing = unsorted.toSorted(byPrimaryKey);
    await this.pool.query({
      name: 'unresolved-remember',
      text: `
        INSERT INTO fhir_store.unresolved_reference AS a (user_id, source, ${columns}, pending, remembered_at)
        SELECT $1, $2, referrer_type_code, referrer_id, target_type_code, target_id, false, reference, true, ${now}
        FROM unnest($3::smallint[], $4::uuid[], $5::smallint[], $6::uuid[], $7::bytea[]) AS t (referrer_type_code, referrer_id, target_type_code, target_id, reference)
        WHERE EXISTS (SELECT FROM fhir_store.record WHERE user_id = $1 AND destroyed_at IS NULL)
        ON CONFLICT (user_id, source, referrer_type_code, referrer_id, target_type_code, target_id) DO UPDATE SET pending = true, remembered_at = excluded.remembered_at`,
      values: [
        this.userId,
        this.source.blinded,
        missing.map(({ resource }) => resource.change.typeCode),
        missing.map(({ resource }) => resource.change.id),
        missing.map(({ reference }) => reference.typeCode),
        missing.map(({ reference }) => reference.id),
        missing.map(({ resource, reference }) => this.seal(resource.change, reference)),
      ],
    });
  }

  /** One page of the targets that are asked for, each once, in a stable order. */
  async pendingTargets(after: ResourceKey | undefined, limit: number): Promise<UnresolvedReference[]> {
    const { rows } = await this.pool.query<Row>({
      name: 'unresolved-pending',
      text: `
        SELECT DISTINCT ON (target_type_code, target_id) ${columns} FROM fhir_store.unresolved_reference
        WHERE user_id = $1 AND source = $2 AND pending AND (target_type_code, target_id) > ($3::smallint, $4::uuid)
        ORDER BY target_type_code, target_id, referrer_type_code, referrer_id LIMIT $5`,
      values: [
        this.userId,
        this.source.blinded,
        after?.typeCode ?? 0,
        after?.id ?? '00000000-0000-0000-0000-000000000000',
        limit,
      ],
    });
    return rows.map((row) => this.read(row));
  }

  /**
   * These resources have come: references to them whose texts were reverted are pending again, and get our form at the end of the collection.
   * @returns how many
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

  /** One page of what is pending, by referrer. */
  async pending(after: UnresolvedReference | undefined, limit: number): Promise<UnresolvedReference[]> {
    const nil = '00000000-0000-0000-0000-000000000000';
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

  /** Their targets are there, or their resources are gone: nothing is unresolved any more. */
  async forget(arrived: readonly UnresolvedReference[]): Promise<void> {
    await this.change(
      'unresolved-forget',
      `DELETE FROM fhir_store.unresolved_reference WHERE ${ofReferrersBetween}`,
      arrived,
    );
  }

  /** Their targets did not come: the resources hold the source's texts. */
  async markReverted(reverted: readonly UnresolvedReference[]): Promise<void> {
    await this.change(
      'unresolved-reverted',
      `UPDATE fhir_store.unresolved_reference SET pending = false, reverted = true, remembered_at = ${now} WHERE ${ofReferrersBetween} AND (pending OR NOT reverted)`,
      reverted,
    );
  }

  /** Those of the resources that the record holds, as `kind/id`. */
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
    const sorted = referrers.toSorted((a, b) => a.typeCode - b.typeCode || (a.id < b.id ? -1 : 1));
    const [first, last] = [sorted[0] as ResourceKey, sorted.at(-1) as ResourceKey];
    return [this.userId, this.source.blinded, first.typeCode, first.id, last.typeCode, last.id];
  }

  private seal(
    referrer: ResourceKey,
    { sourceReference, texts, ...target }: CollectedResource['references'][number],
  ): Buffer {
    return this.source.seal.sealText(
      JSON.stringify([sourceReference, ...texts]),
      associatedData(this.userId, referrer, target),
    );
  }

  private read({
    referrer_type_code,
    referrer_id,
    target_type_code,
    target_id,
    reverted,
    reference,
  }: Row): UnresolvedReference {
    const referrer = { typeCode: referrer_type_code, id: referrer_id };
    const target = { typeCode: target_type_code, id: target_id };
    const [sourceReference = '', ...texts] = JSON.parse(
      this.source.seal.openText(reference, associatedData(this.userId, referrer, target)),
    ) as string[];
    return { referrer, target, reverted, sourceReference, texts };
  }
}

/** Forgets everything that these records await, with their destruction. */
export async function deleteUnresolvedReferences(pool: Pool, userIds: readonly number[]): Promise<void> {
  await pool.query({
    name: 'unresolved-destroy',
    text: 'DELETE FROM fhir_store.unresolved_reference WHERE user_id = ANY ($1::bigint[])',
    values: [userIds],
  });
}

/** References whose resource has not been collected for so long are forgotten: the source's text stays in the resource, also when the target comes. */
const rememberedForMs = 180 * 24 * 3600 * 1000;
const forgottenAtOnce = 500;

/** Forgets some of the references that have been waiting for half a year. @returns how many; 0 when there are no more */
export async function deleteOldUnresolvedReferences(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'unresolved-forget-old',
    text: `
      WITH old AS MATERIALIZED (
        SELECT user_id, source, referrer_type_code, referrer_id, target_type_code, target_id FROM fhir_store.unresolved_reference
        WHERE NOT pending AND remembered_at < (SELECT ${now} - $1::bigint) ORDER BY remembered_at LIMIT ${forgottenAtOnce} FOR UPDATE SKIP LOCKED
      )
      DELETE FROM fhir_store.unresolved_reference a USING old
      WHERE a.user_id = old.user_id AND a.source = old.source AND a.referrer_type_code = old.referrer_type_code AND a.referrer_id = old.referrer_id
        AND a.target_type_code = old.target_type_code AND a.target_id = old.target_id`,
    values: [rememberedForMs],
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
