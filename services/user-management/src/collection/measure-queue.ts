import { gauge } from '@tributary/service-kit';
import type { CollectionQueue } from './collection-queue';

/** More workers are needed when it grows: a collection that waits for its health system is not in it. */
const oldestWaiting = gauge(
  'tributary_collection_oldest_waiting_seconds',
  'How long the oldest collection that no worker has taken has been in the queue; 0 when there is none.',
);

/** Measures the queue for the metrics. @throws Error while Redis is unavailable; the metric has no value then */
export async function measureQueue(
  queue: Pick<CollectionQueue, 'counts'>,
  metric: ReturnType<typeof gauge> = oldestWaiting,
): Promise<void> {
  try {
    const { oldest_waiting_at: since } = await queue.counts();
    metric.set(since === null ? 0 : Math.max(0, Date.now() - Date.parse(since)) / 1000);
  } catch (error) {
    metric.remove();
    throw error;
  }
}
