import { setImmediate } from 'node:timers/promises';
import type { BatchResult, ResourceOutcome } from '@tributary/contracts';
import { type JsonObject, type JsonValue, isJsonObject, parseJson } from '@tributary/fhir-json';
import {
  type ChangeOutcome,
  type Upsert,
  type UserRecord,
  databaseClock,
  keyText,
  typeCodeOf,
} from '@tributary/record-storage';
import type { Pool } from 'pg';
import { maxInlineBytes } from '../fhir-http/limits';
import { UnresolvedReferences } from './unresolved-references';
import { storingContent } from '../interactions/large-content';
import { membersText } from '../resources/resource-content';
import { type CollectedResource, type UploadedContent, UnusableLine, readCollected } from './collected-resource';
import type { CollectionSource } from './collection-source';

/** Resources that one transaction writes. */
const maxWritten = 500;
/** So long lines are read without a pause for other requests, in milliseconds. */
const maxSliceMs = 10;

/**
 * Stores the lines of a batch and records the references whose targets are missing. A line that cannot be stored does
 * not affect the others. Of several lines with the same resource, the last one is stored.
 * @param content of a Binary, of a batch of this one line
 * @returns the outcome of each line, in the order of the lines
 */
export async function storeBatch(
  record: UserRecord,
  pool: Pool,
  source: CollectionSource,
  lines: readonly string[],
  content?: UploadedContent,
): Promise<BatchResult> {
  const results: ResourceOutcome[] = [];
  for (let from = 0; from < lines.length; from += maxWritten) {
    results.push(...(await storeLines(record, pool, source, lines.slice(from, from + maxWritten), content)));
  }
  const { rows } = await pool.query<{ now: string }>({
    name: 'batch-clock',
    text: `SELECT ${databaseClock} AS now`,
  });
  return { results, now: Number(rows[0]?.now) };
}

async function storeLines(
  record: UserRecord,
  pool: Pool,
  source: CollectionSource,
  lines: readonly string[],
  content: UploadedContent | undefined,
): Promise<ResourceOutcome[]> {
  const outcomes: ResourceOutcome[] = [];
  const last = new Map<string, { resource: CollectedResource; line: number }>();
  let pauseAt = performance.now() + maxSliceMs;
  for (const [line, text] of lines.entries()) {
    if (performance.now() > pauseAt) {
      await setImmediate();
      pauseAt = performance.now() + maxSliceMs;
    }
    try {
      const resource = readCollected(source, text, content);
      const { type, sourceId, change, attachmentsElsewhere } = resource;
      outcomes[line] = {
        outcome: 'unchanged',
        type,
        source_id: sourceId,
        id: change.id,
        ...(attachmentsElsewhere > 0 ? { attachments_elsewhere: attachmentsElsewhere } : {}),
      };
      last.set(keyText(resource.change), { resource, line });
    } catch (error) {
      if (!(error instanceof UnusableLine)) throw error;
      outcomes[line] = {
        outcome: 'failed',
        reason: error.message,
        ...(error.type === undefined ? {} : { type: error.type }),
      };
    }
  }
  const collected = [...last.values()];
  // Before the write, so that an export whose snapshot has the resources finds their health system at every download.
  if (collected.length > 0) await record.noteHealthSystem(source.healthSystemId);
  const written = await storingContent(
    record,
    collected.map(({ resource }) => largeBinaryOf(resource)),
    (stored) => record.write(collected.map(({ resource: { change } }, at) => withMembers(change, stored[at]))),
  );
  collected.forEach(({ line }, index) => {
    const { outcome: effect, version, lastUpdated } = written[index] as ChangeOutcome;
    outcomes[line] = {
      ...(outcomes[line] as ResourceOutcome),
      version,
      last_updated: lastUpdated,
      ...(effect === 'unchanged' ? {} : { outcome: 'stored', created: effect === 'created' }),
    };
  });
  const unresolved = new UnresolvedReferences(pool, record.userId, source);
  await unresolved.forgetOf(written.filter(isChange));
  // Unchanged resources are included: a previous attempt of this batch may have ended after the write.
  await unresolved.markArrived(collected.map(({ resource }) => resource.change));
  await rememberMissing(
    record,
    unresolved,
    collected.map(({ resource }, index) => ({ resource, isChanged: isChange(written[index]) })),
  );
  return outcomes;
}

/** The members of a Binary that may have large content, as a resource. */
function largeBinaryOf({ type, change: { body } }: CollectedResource): JsonObject | undefined {
  if (type !== 'Binary' || body.members.length <= maxInlineBytes) return undefined;
  return { resourceType: type, ...(parseJson(`{${body.members}}`) as JsonObject) };
}

function withMembers(change: Upsert, binary: JsonValue | undefined): Upsert {
  if (!isJsonObject(binary)) return change;
  const { resourceType: _type, ...members } = binary;
  return { ...change, body: { ...change.body, members: membersText(members) } };
}

/**
 * Remembers the references to missing targets, and to the attachments of changed resources: these may have changed,
 * too.
 */
async function rememberMissing(
  record: UserRecord,
  unresolved: UnresolvedReferences,
  collected: readonly { resource: CollectedResource; isChanged: boolean }[],
): Promise<void> {
  const own = new Set(collected.map(({ resource }) => keyText(resource.change)));
  const binary = typeCodeOf(unresolved.source.release, 'Binary');
  const references = collected
    .flatMap(({ resource, isChanged }) =>
      resource.references.map((reference) => ({
        resource,
        reference,
        isOutdated: isChanged && reference.typeCode === binary,
      })),
    )
    .filter(({ reference }) => !own.has(keyText(reference)));
  const present = await unresolved.present(
    record,
    references.map(({ reference }) => reference),
  );
  await unresolved.remember(
    references.filter(({ reference, isOutdated }) => isOutdated || !present.has(keyText(reference))),
  );
}

function isChange(written: ChangeOutcome | undefined): boolean {
  return written !== undefined && written.outcome !== 'unchanged' && written.version > 1;
}
