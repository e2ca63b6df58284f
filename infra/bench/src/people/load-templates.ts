import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { collect } from '../scenarios/collecting';
import { downloadRecord } from '../scenarios/downloading';
import { repository } from '../suite/bench-suite';
import type { BenchContext } from '../bench-context';
import { closedSlices } from './closed-slices';
import { type RecordTemplate, recordTemplate } from './record-template';

/** The number of generated people that are used when there are no records in files. */
const generatedPeople = 6;

/**
 * Loads the records that are stored for the users. Files in TRIBUTARY_DATA, or in ../shared/data beside the repository,
 * are split to the size of the options. Without such files the sandbox generates the records.
 */
export async function loadTemplates(context: BenchContext): Promise<RecordTemplate[]> {
  const folder = join(process.env['TRIBUTARY_DATA'] ?? join(repository, '..', 'shared', 'data'), 'records', 'r4');
  const templates = existsSync(folder) ? recordsIn(folder, context.options.resources) : await generatedRecords(context);
  const usable = templates.filter(({ codes }) => (codes[0]?.count ?? 0) > 0);
  if (usable.length === 0) throw new Error(`no record with Observations is in ${folder}`);
  const lines = usable.reduce((sum, template) => sum + template.lines.length, 0);
  context.log(
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
    // Records of old generators contain elements that their release does not define.
    return closedSlices(lines, size).map((slice) => recordTemplate(file, slice, !file.startsWith('gsd-')));
  });
}

async function generatedRecords(context: BenchContext): Promise<RecordTemplate[]> {
  context.log('there are no records in files: taking people of the sandbox');
  const users = await context.newUsers(generatedPeople);
  const templates: RecordTemplate[] = [];
  for (const [index, user] of users.entries()) {
    const name = `load-${Math.max(20, context.options.resources) + index}`;
    await collect(context, user, name);
    templates.push(recordTemplate(name, await downloadRecord(context, user), true));
  }
  return templates;
}
