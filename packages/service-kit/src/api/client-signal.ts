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
  const abortUnlessSent = (): void => {
    if (!response.writableFinished) controller.abort(new ClientGoneError());
  };
  // The event of a client that has disconnected is past.
  if (response.destroyed) abortUnlessSent();
  else response.once('close', abortUnlessSent);
  return controller.signal;
}

/** Cancels the work for a request when its client disconnects. */
export class ClientCancellation {
  constructor(private readonly response: ServerResponse) {}

  /** @throws ClientGoneError when the client has disconnected before the response was sent */
  throwIfAborted(): void {
    if (this.response.destroyed && !this.response.writableFinished) throw new ClientGoneError();
  }
}
