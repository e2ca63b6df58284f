import type { ServerResponse } from 'node:http';

/** The client closed the connection before the response was sent, so the work for it can stop. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
  constructor() {
    super('the client closed the connection before the response');
  }
}

/** A signal that is aborted with a `ClientGoneError` when the client disconnects before the response has been sent. */
export function clientSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new ClientGoneError());
  });
  return controller.signal;
}
