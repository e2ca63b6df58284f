import { type DestinationStream, type Logger, destination, pino } from 'pino';

/** A line is seen at the latest after so long; a process that is killed takes no more of them with it. */
const FLUSH_MS = 100;

let output: DestinationStream | undefined;

/**
 * Standard output. Lines are written together: a system call for each would cost a busy service more than a tenth of its
 * time. What waits is written when the process ends, also by an exception, and at once with a fatal line.
 */
function standardOutput(): DestinationStream {
  if (!output) {
    const stream = destination({ fd: 1, sync: true, minLength: 4096, periodicFlush: FLUSH_MS });
    process.on('exit', () => stream.flushSync());
    output = stream;
  }
  return output;
}

/** The service's log: JSON lines on standard output. What a line may hold is decided where it is written; this redacts what must never slip in. */
export function createLog(service: string, level: string): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: ['access_token', 'refresh_token', 'client_secret', 'code', 'app_user_id', 'authorization', '*.access_token', '*.refresh_token', '*.client_secret', '*.app_user_id', '*.authorization'], censor: '[redacted]' },
    },
    standardOutput(),
  );
}
