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
 * A log for lines that consist of fixed fields without secrets, such as those of requests. Searching each line for
 * fields to redact takes most of the time of writing it.
 */
export function withoutRedaction(log: Logger): Logger {
  return log.child({}, { redact: [] });
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
