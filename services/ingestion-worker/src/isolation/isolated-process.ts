import { createLog } from '@tributary/service-kit';
import { collect } from '../collection/collect';
import { openCollector } from '../collector';
import { serviceName } from '../config';
import { type IsolatedAnswer, type IsolatedWork, toAnswer } from './messages';

/**
 * A process for one collection that has crashed its process before. It is told by a message what to collect, answers how that ended,
 * and is ended by the process that started it.
 */
async function work({ settings, logLevel, connection, attempt, isLast }: IsolatedWork): Promise<void> {
  const collector = await openCollector(settings, createLog(serviceName, logLevel));
  await answer({ begun: true });
  const { signal } = new AbortController();
  await answer(await collect(collector, connection, { attempt, signal, isLast }).then((end) => ({ end }), toAnswer));
  await collector.close();
}

function answer(message: IsolatedAnswer): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, {}, () => resolve()));
}

// The process that started this one ends it in time, and has to be told of nothing when it is gone.
process.on('SIGTERM', () => undefined);
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(1));
process.once('message', (told: IsolatedWork) => {
  work(told).then(
    () => process.disconnect(),
    (error: unknown) => void answer(toAnswer(error)).then(() => process.exit(1)),
  );
});
