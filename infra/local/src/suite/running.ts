import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** The line that `npm start -- --json` prints when all is ready. */
export const readyEvent = z.object({
  event: z.literal('ready'),
  base_url: z.string(),
  auth_url: z.string(),
  search_url: z.string(),
  analytics_url: z.string(),
  /** The pages of the mail that the suite has sent; `/messages.json` has it as JSON. */
  mail_url: z.string(),
  /** The certificate of the authority, in PEM, that a suite over TLS is verified with. */
  ca_file: z.string().optional(),
  client: z.object({ client_id: z.string(), client_secret: z.string(), redirect_uri: z.string() }),
  sandbox: z.object({
    /** Its address, for `/sandbox/patients` and `/sandbox/scenarios`. */
    url: z.string(),
    health_system_id: z.int(),
    patients: z.array(
      z.object({ username: z.string(), password: z.string(), releases: z.array(z.enum(['dstu2', 'stu3', 'r4'])) }),
    ),
  }),
});
export type ReadyEvent = z.infer<typeof readyEvent>;

/** The description of a running suite for the demo, the operator's commands and the tests. */
export const runningSuite = z.object({
  pid: z.int(),
  ready: readyEvent,
  /** The environment of each service's own commands. */
  environments: z.record(z.string(), z.record(z.string(), z.string())),
  pids: z.record(z.string(), z.int()),
});
export type RunningSuite = z.infer<typeof runningSuite>;

/** The suite that runs with this home; undefined without one. */
export function findRunningSuite(file: string): RunningSuite | undefined {
  if (!existsSync(file)) return undefined;
  const parsed = runningSuite.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return parsed.success && isAlive(parsed.data.pid) ? parsed.data : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
