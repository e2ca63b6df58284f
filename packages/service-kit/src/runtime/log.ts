import { type DestinationStream, type Logger, pino } from 'pino';
import { BufferedOutput } from './buffered-output';
import { redact } from './redact';

let output: BufferedOutput | undefined;

/** Standard output, buffered; the buffer is written when the process ends, also after an exception. */
function standardOutput(): DestinationStream {
  if (!output) {
    const stream = new BufferedOutput(1);
    process.on('exit', () => stream.flushSync());
    output = stream;
  }
  return output;
}

/**
 * The log of the service: JSON lines on standard output. The redaction is a second line of defence; callers log no
 * secrets and no clinical values.
 */
export function createLog(service: string, level: string): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: redact },
    },
    standardOutput(),
  );
}
