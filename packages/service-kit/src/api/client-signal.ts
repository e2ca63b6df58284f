import type { ServerResponse } from 'node:http';

/** The client closed the connection before the answer was sent: nobody waits for what is under way. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
  constructor() {
    super('the client closed the connection before the answer');
  }
}

/** A signal that is aborted, with a `ClientGoneError`, when the client goes away before the response has been sent. */
export function clientSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new ClientGoneError());
  });
  return controller.signal;
}
