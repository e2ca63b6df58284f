import { runClosedLoop } from './closed-loop';
import type { LoadJob } from './sequence';

/** The process that generates load: runs each job that it receives and sends back the result. */
process.on('message', (job: LoadJob) => {
  runClosedLoop(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : 'unknown reason' }),
  );
});
process.on('disconnect', () => process.exit(0));
