import { z } from 'zod';
import { connectionStatus } from '../connections/internal';

const count = z.int().min(0);

/** What the collection of records waits for. */
export const collectionQueueState = z
  .object({
    jobs: z
      .object({
        waiting: count,
        active: count,
        delayed: count.describe('They wait for a permit of their host, or to be retried.'),
        failed: count,
        oldest_waiting_at: z.iso.datetime().nullable(),
      })
      .nullable()
      .describe('Of the queue; null while Redis is not available.'),
    hosts: z
      .array(
        z.object({
          host: z.string(),
          collections: count.describe('That have begun, or are to begin.'),
          retrying: count.describe('Those of them that wait because the health system did not respond.'),
          is_paused: z.boolean(),
        }),
      )
      .describe('The twenty with most collections.'),
    connections: z.partialRecord(connectionStatus, count).describe('By their status.'),
  })
  .meta({ id: 'CollectionQueueState' });
export type CollectionQueueState = z.infer<typeof collectionQueueState>;
