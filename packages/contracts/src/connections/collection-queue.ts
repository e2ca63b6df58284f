import { z } from 'zod';
import { connectionId } from '../identifiers';

/** The BullMQ queue of due collections. The row of the connection is authoritative: a lost job is queued again. */
export const collectionQueueName = 'collection';
export const collectionQueuePrefix = '{tributary}';

/** A job contains ids and the host, but no token and no clinical value. */
export const collectionJob = z.object({
  connection_id: connectionId,
  collection_id: z.uuid(),
  host: z
    .string()
    .optional()
    .describe(
      'Host and port of the FHIR base URL. The worker limits the collections of a host before it requests the connection.',
    ),
});
export type CollectionJob = z.infer<typeof collectionJob>;
