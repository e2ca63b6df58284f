import { z } from 'zod';

/** How much of a limit a client has used. */
const limitUsage = z
  .object({
    name: z
      .string()
      .describe('The name of the limit, as the fields `RateLimit-Policy` and `RateLimit` of responses have it.')
      .meta({ examples: ['export'] }),
    description: z
      .string()
      .describe('What is counted.')
      .meta({ examples: ['Exports that a user, or a client for all of its users, may request.'] }),
    quota: z
      .int()
      .describe('How many are allowed.')
      .meta({ examples: [60] }),
    window_seconds: z
      .int()
      .nullable()
      .describe('In how many seconds so many are allowed; null: at the same time.')
      .meta({ examples: [600] }),
    remaining: z
      .int()
      .describe('How many are left.')
      .meta({ examples: [59] }),
    resets_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'When the whole quota is there again; of a rolling hour, when its oldest request leaves it. null: nothing is used, or time changes nothing.',
      )
      .meta({ examples: ['2026-11-30T12:00:10.000Z'] }),
  })
  .meta({ id: 'LimitUsage' });
export type LimitUsage = z.infer<typeof limitUsage>;

/** The response of the routes that tell a client its use of limits. */
export const limitUsageList = z
  .object({ success: z.literal(true), entry: z.array(limitUsage) })
  .meta({ id: 'LimitUsageList' });
