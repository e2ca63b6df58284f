import type { Response } from 'express';

/** Sends JSON that must not be cached (RFC 6749, section 5.1). */
export function sendUncached(response: Response, status: number, body: unknown): void {
  response.status(status).set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }).json(body);
}
