import { z } from 'zod';
import { connectionId } from '../identifiers';

/** The BullMQ queue that makes a due collection happen soon. The truth is the connection's row; a lost job is queued again. */
export const collectionQueueName = 'collection';
export const collectionQueuePrefix = '{tributary}';

/** Ids only: never a token, never a clinical value. */
export const collectionJob = z.object({ connection_id: connectionId, collection_id: z.uuid() });
export type CollectionJob = z.infer<typeof collectionJob>;
