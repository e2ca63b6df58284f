import { counter } from '@tributary/service-kit';

/** Counted as the pieces are sent, so that long downloads have a rate. */
export const sentBytes = counter(
  'tributary_export_sent_bytes_total',
  'The bytes of export files and attachments that were sent.',
  [],
);
