import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { repository } from './helm';

const list = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('List'),
  items: z.array(
    z.looseObject({
      apiVersion: z.literal('v1'),
      kind: z.literal('Secret'),
      metadata: z.object({ name: z.string() }),
      stringData: z.record(z.string(), z.string()),
    }),
  ),
});
export type PrintedSecrets = z.output<typeof list>['items'];

/** What the command for the Secrets prints, in the folder in which it keeps them. */
export function printSecrets(folder: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(repository, 'infra', 'compose', 'kubernetes-secrets.mjs'), ...words],
    {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        SECRETS_DIR: folder,
        POSTGRES_HOST: 'postgres.example.org',
        REDIS_HOST: 'redis.example.org',
      },
    },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

export const readSecrets = (printed: string): PrintedSecrets => list.parse(JSON.parse(printed)).items;
