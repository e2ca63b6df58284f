import { InternalHttp, RecordsClient } from '@tributary/contracts';
import { fetchAttachment } from '../src/collection/references/fetch-attachment';
import { attachmentClient } from './attachment-client';

/**
 * A process that transfers attachments from a health system to fhir-store, one for each reference in a message. Answers
 * with the outcome, and by how many bytes the process has grown since its begin, at most, meanwhile.
 */
const { HEALTH_SYSTEM: healthSystem = '', FHIR_STORE: fhirStore = '' } = process.env;
const { client } = attachmentClient(healthSystem);
const records = new RecordsClient(
  new InternalHttp({ service: 'fhir-store', baseUrl: fhirStore, caller: 'ingestion-worker', key: 'key' }),
);
const source = { client_id: 'client', release: 'r4', health_system_id: 1, fhir_base_url: healthSystem } as const;

async function transfer(reference: string): Promise<unknown> {
  const reservation = client.reservation();
  try {
    return await fetchAttachment(client, reference, {
      maxBytes: 200_000_000,
      reservation,
      store: async (attachment) => {
        if ('json' in attachment) throw new Error('the attachment was held');
        const { outcome } = await records.storeAttachment(1, source, attachment, attachment.content);
        return outcome === 'stored';
      },
    });
  } finally {
    reservation.release();
  }
}

const before = process.memoryUsage.rss();

process.on('message', (reference: string) => {
  let most = before;
  const watching = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
  void transfer(reference)
    .catch((error: unknown) => String(error))
    .then((outcome) => {
      clearInterval(watching);
      process.send?.({ outcome, grownBytes: most - before });
    });
});
