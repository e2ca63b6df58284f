import { z } from 'zod';
import { type Http, get } from './http';
import type { User } from './users';
import type { Load } from './workload';

const manifest = z.object({
  transactionTime: z.iso.datetime().transform((text) => Date.parse(text)),
  output: z.array(z.object({ type: z.string(), url: z.string(), count: z.int().optional() })),
});
const resource = z.looseObject({ resourceType: z.string(), id: z.string() });
export type Resource = z.infer<typeof resource>;

export interface ExportedRecord {
  /** The time as of which the export is complete, in epoch milliseconds. */
  readonly transactionTime: number;
  readonly resources: Resource[];
}

/** An export without a response, or with a file that could not be downloaded. */
export class ExportFailed extends Error {}

/**
 * Exports a user's record and downloads every file.
 * @throws ExportFailed when the signal was aborted before all files were downloaded
 * @throws Error when a file does not have the number of lines in the manifest
 */
export async function exportRecord(
  { ready: { analytics_url } }: Load,
  { accessToken }: User,
  http: Http,
  signal: AbortSignal,
): Promise<ExportedRecord> {
  const answer = await http.persist(get('export', `${analytics_url}/bulk-data/r4/$export`, accessToken), signal);
  if (answer?.status !== 200) throw new ExportFailed(`the export answered ${answer?.status ?? 'nothing'}`);
  const resources: Resource[] = [];
  const { transactionTime, output } = manifest.parse(answer.json());
  for (const { type, url, count } of output) {
    const file = await http.persist(get('download', url, accessToken), signal);
    if (file?.status !== 200) throw new ExportFailed(`a file answered ${file?.status ?? 'nothing'}`);
    const lines = file.text.split('\n').filter(Boolean);
    if (count !== undefined && lines.length !== count)
      throw new Error(`a file of ${type} has ${lines.length} lines, but ${count} in the manifest`);
    resources.push(...lines.map((line) => resource.parse(JSON.parse(line))));
  }
  return { transactionTime, resources };
}
