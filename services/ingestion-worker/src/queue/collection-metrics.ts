import { counter } from '@tributary/service-kit';

/** The reason is `none`, or whether the failure is transient or permanent. */
export const collectionAttempts = counter(
  'tributary_collection_attempts_total',
  'The attempts at collections that ended, by outcome and reason.',
  ['outcome', 'reason'],
);
