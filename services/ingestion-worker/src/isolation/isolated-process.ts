import { ServiceRuntime, createLog } from '@tributary/service-kit';
import { collect } from '../collection/collect';
import { openCollector } from '../collector';
import { serviceName } from '../config';
import { type IsolatedMessage, type IsolatedWork, fromSent, settingsFromSent, toMessage } from './messages';

/**
 * The entry of the process for one collection that has crashed its process before. Receives its work by an IPC message,
 * sends the outcome back, and is killed by the parent when the attempt is aborted.
 */
async function run(work: IsolatedWork): Promise<void> {
  const { settings, logLevel, connection, attempt, isLast } = work;
  const log = createLog(serviceName, logLevel);
  const runtime = await ServiceRuntime.open(fromSent(work.runtime, log), log);
  const collector = await openCollector(settingsFromSent(settings, log), runtime);
  await send({ hasStarted: true });
  const { signal } = new AbortController();
  await send(await collect(collector, connection, { attempt, signal, isLast }).then((end) => ({ end }), toMessage));
  await collector.close();
  runtime.close();
}

function send(message: IsolatedMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, {}, () => resolve()));
}

// A terminal sends these signals to the whole process group. The parent stops this process in time.
process.on('SIGTERM', () => undefined);
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(1));
process.once('message', (work: IsolatedWork) => {
  run(work).then(
    () => process.disconnect(),
    (error: unknown) => void send(toMessage(error)).then(() => process.exit(1)),
  );
});
