import { runClosedLoop } from './closed-loop';
import type { LoadJob } from './sequence';

/** The process that makes the load: runs each job it is sent and sends back what came of it. */
process.on('message', (job: LoadJob) => {
  runClosedLoop(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : 'unknown reason' }),
  );
});
process.on('disconnect', () => process.exit(0));
