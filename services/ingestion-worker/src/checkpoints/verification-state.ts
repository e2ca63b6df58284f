import { sourceReference } from '@tributary/contracts';
import { z } from 'zod';

/** What the health system answers with 404 or 410. */
const goneResource = sourceReference.extend({ status: z.int() });
export type GoneResource = z.infer<typeof goneResource>;

/** How far the verification of what the record holds of a type is, in a later collection of a connection. */
export const verificationState = z.object({
  /** The last full search is long ago. */
  isDue: z.boolean(),
  /** Only references lead to the type: all of it is read again, not only what the searches did not return. */
  isReferred: z.boolean(),
  /** The health system supports `If-Modified-Since` for the type. */
  isConditional: z.boolean().optional(),
  /** The id in the record of the last resource that was verified. */
  after: z.string().optional(),
  /** The value of `after` at the start of this collection. */
  from: z.string().optional(),
  /** What was gone in this collection, and is not deleted yet. */
  gone: z.array(goneResource).optional(),
  /** The number of resources that were read. */
  reads: z.int(),
  isDone: z.boolean(),
  /** A resource (`Type/id`) that the health system has returned: reading it shows that the type can be read. */
  example: z.string().optional(),
});
export type VerificationState = z.infer<typeof verificationState>;

/** What the completed collections of a connection have. */
export interface EarlierCollections {
  /** The start of the last one. */
  startedAt: Date;
  /** The types that the last one has in full. */
  completeTypes: ReadonlySet<string>;
  /** The last one left a gap that a full read may close, and that is to be tried now. */
  isRereadDue: boolean;
  /** The types that were searched in full at some time; and up to which id in the record the last one was verified. */
  fullSearches: ReadonlyMap<string, { isDue: boolean; verifiedTo: string | undefined }>;
}

/** What a completed collection has of a type. */
export interface FullSearch {
  type: string;
  /** A later collection that searched for all of the type, not for changes only. */
  isFull: boolean;
  /** True when every stored resource that the search did not return has been read again or cannot be. */
  isVerified: boolean;
  /** The id in the record up to which it was verified. */
  verifiedTo: string | undefined;
}
