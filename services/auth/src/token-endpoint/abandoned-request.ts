import type { ServerResponse } from 'node:http';

/** Whether the connection ended, or the client closed its side of it, before the response was sent. */
export function isAbandoned(response: ServerResponse): boolean {
  return response.destroyed || response.socket?.writable !== true;
}
