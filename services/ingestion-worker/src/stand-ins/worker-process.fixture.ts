import { type WorkerPlace, startWorker } from './worker.fixture';

/** A worker in a process of its own, to be killed. It loads at once, and works when it is told to. */
process.once('message', (place: WorkerPlace) => {
  startWorker(place).then(
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
