import { type TestWorkerSettings, startWorker } from './worker';

/**
 * The entry of a worker process that tests kill. It loads its modules at once, and starts the worker when it receives
 * its settings.
 */
process.once('message', (workerSettings: TestWorkerSettings) => {
  startWorker(workerSettings).then(
    (worker) => {
      process.send?.('working');
      process.once('SIGTERM', () => {
        void worker.stop().then(() => process.exit(0));
      });
    },
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.send?.('loaded');
