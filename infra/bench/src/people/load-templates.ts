import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { collect } from '../scenarios/collecting';
import { downloadRecord } from '../scenarios/downloading';
import { repository } from '../suite/bench-suite';
import type { World } from '../world';
import { closedSlices } from './closed-slices';
import { type RecordTemplate, recordTemplate } from './record-template';

/** Different people of the sandbox that are used when there are no records in files. */
const generatedPeople = 6;

/**
 * The records that are stored for the bench's users, over and over: real ones (TRIBUTARY_DATA, or ../shared/data beside the repository),
 * cut to the size; where there are none, people whom the sandbox makes up.
 */
export async function loadTemplates(world: World): Promise<RecordTemplate[]> {
  const folder = join(process.env['TRIBUTARY_DATA'] ?? join(repository, '..', 'shared', 'data'), 'records', 'r4');
  const templates = existsSync(folder) ? recordsIn(folder, world.options.resources) : await generatedRecords(world);
  const usable = templates.filter(({ codes }) => (codes[0]?.count ?? 0) > 0);
  if (usable.length === 0) throw new Error(`no record with Observations is in ${folder}`);
  const lines = usable.reduce((sum, template) => sum + template.lines.length, 0);
  world.say(
    `${usable.length} records of ${Math.round(lines / usable.length)} resources on average, ${existsSync(folder) ? `from ${new Set(usable.map(({ name }) => name)).size} real ones` : 'made up by the sandbox'}`,
  );
  return usable;
}

function recordsIn(folder: string, size: number): RecordTemplate[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ndjson.gz') && !file.startsWith('hl7-'));
  return files.sort().flatMap((file) => {
    const lines = gunzipSync(readFileSync(join(folder, file)))
      .toString('utf8')
      .split('\n')
      .filter(Boolean);
    // The records of old generators have elements that their release does not know.
    return closedSlices(lines, size).map((slice) => recordTemplate(file, slice, !file.startsWith('gsd-')));
  });
}

async function generatedRecords(world: World): Promise<RecordTemplate[]> {
  world.say('there are no records in files: taking people of the sandbox');
  const users = await world.newUsers(generatedPeople);
  const templates: RecordTemplate[] = [];
  for (const [place, user] of users.entries()) {
    const name = `load-${Math.max(20, world.options.resources) + place}`;
    await collect(world, user, name);
    templates.push(recordTemplate(name, await downloadRecord(world, user), true));
  }
  return templates;
}
