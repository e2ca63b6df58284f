import { type DestinationStream, type Logger, pino } from 'pino';
import { BufferedOutput } from './buffered-output';

let output: BufferedOutput | undefined;

/** Standard output. What waits to be written is so when the process ends, also by an exception. */
function standardOutput(): DestinationStream {
  if (!output) {
    const stream = new BufferedOutput(1);
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
      redact: {
        paths: [
          'access_token',
          'refresh_token',
          'client_secret',
          'code',
          'app_user_id',
          'authorization',
          '*.access_token',
          '*.refresh_token',
          '*.client_secret',
          '*.app_user_id',
          '*.authorization',
        ],
        censor: '[redacted]',
      },
    },
    standardOutput(),
  );
}
