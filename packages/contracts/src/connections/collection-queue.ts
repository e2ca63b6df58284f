import { z } from 'zod';
import { connectionId } from '../identifiers';

/** The BullMQ queue that makes a due collection happen soon. The truth is the connection's row; a lost job is queued again. */
export const collectionQueueName = 'collection';
export const collectionQueuePrefix = '{tributary}';

/** Ids and the host only: never a token, never a clinical value. */
export const collectionJob = z.object({
  connection_id: connectionId,
  collection_id: z.uuid(),
  host: z
    .string()
    .optional()
    .describe(
      'Host and port of the FHIR base. The worker limits the collections of a host before it asks for the connection.',
    ),
});
export type CollectionJob = z.infer<typeof collectionJob>;
