import type { ServiceRuntime } from '@tributary/service-kit';
import { CheckpointSweep } from './checkpoints/checkpoint-sweep';
import { type Collector, type CollectorSettings, openCollector } from './collector';
import { CollectionAttempts } from './queue/collection-attempts';
import { CollectionConsumer, type QueueTimes } from './queue/collection-consumer';

export interface AppOptions {
  settings: CollectorSettings;
  maxFailedAttempts: number;
  times: QueueTimes;
  /** How many collections run at once. */
  concurrency: number;
}

export interface App {
  collector: Collector;
  consumer: CollectionConsumer;
  /** Not scheduled yet: see `CheckpointSweep.start`. */
  sweep: CheckpointSweep;
  /** Returns running jobs to the queue, then closes everything. */
  close(): Promise<void>;
}

/** Wires the worker, and starts to take jobs from the queue. @throws when PostgreSQL is unavailable */
export async function startApp(options: AppOptions, runtime: ServiceRuntime): Promise<App> {
  const { log } = runtime;
  const { settings, maxFailedAttempts, times, concurrency } = options;
  const collector = await openCollector(settings, runtime);
  const { database, keys, connections, checkpoints, redis } = collector;
  const attempts = new CollectionAttempts({ collector, settings, runtime: runtime.settings, maxFailedAttempts, log });
  const consumer = new CollectionConsumer({
    attempts,
    redis,
    redisServer: settings.redis,
    concurrency,
    times,
    log,
  });
  const sweep = new CheckpointSweep({ database, keys, connections, checkpoints, audit: runtime.audit, log });
  return {
    collector,
    consumer,
    sweep,
    close: async () => {
      await Promise.all([consumer.close(), sweep.stop()]);
      await collector.close();
    },
  };
}
