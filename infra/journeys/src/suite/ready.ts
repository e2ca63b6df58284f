import { readFileSync } from 'node:fs';
import { z } from 'zod';

const shape = z.object({
  base_url: z.string(),
  auth_url: z.string(),
  search_url: z.string(),
  analytics_url: z.string(),
  /** `/messages.json?to=…` has the mail for a recipient. */
  mail_url: z.string(),
  /** The certificate of the authority, when the suite runs over TLS. */
  ca_file: z.string().optional(),
  client: z.object({ client_id: z.string(), client_secret: z.string(), redirect_uri: z.string() }),
  sandbox: z.object({
    health_system_id: z.int(),
    patients: z.array(
      z.object({ username: z.string(), password: z.string(), releases: z.array(z.enum(['dstu2', 'stu3', 'r4'])) }),
    ),
  }),
});
export type Ready = z.infer<typeof shape>;

/** The suite that the journeys use. */
export function readySuite(): Ready {
  return shape.parse(JSON.parse(readFileSync(process.env['JOURNEY_READY'] ?? '', 'utf8')));
}

/** The public addresses as the environment variables of a program. */
export function addressVariables({ base_url, auth_url, search_url, analytics_url }: Ready): Record<string, string> {
  return { BASE_URL: base_url, AUTH_URL: auth_url, SEARCH_URL: search_url, ANALYTICS_URL: analytics_url };
}
