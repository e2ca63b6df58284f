import { clientSignal } from '@tributary/service-kit';
import type { Response } from 'express';
import { answered } from '../../answered';

/** Sends the lines of another service as they arrive. Its work ends when the caller goes away. */
export async function sendLines(
  response: Response,
  linesOf: (signal: AbortSignal) => AsyncGenerator<object>,
): Promise<undefined> {
  const signal = clientSignal(response);
  const lines = linesOf(signal);
  try {
    // What is refused is known before the answer begins.
    let line = await answered(lines.next());
    response.type('application/x-ndjson');
    while (!line.done) {
      response.write(`${JSON.stringify(line.value)}\n`);
      line = await lines.next();
    }
  } catch (error) {
    // The call of the other service has ended for this reason.
    signal.throwIfAborted();
    throw error;
  }
  response.end();
  return undefined;
}
