import type { ServerResponse } from 'node:http';

/** Whether the connection on which the answer is due has ended, or was closed by the client, before the answer was sent. */
export function isAbandoned(response: ServerResponse): boolean {
  return response.destroyed || response.socket?.writable !== true;
}
