import type { Request } from 'express';

/** Whether the document is for a frame, by Fetch Metadata, which no page can change. */
export function isOfFrame({ headers }: Pick<Request, 'headers'>): boolean {
  return headers['sec-fetch-dest'] === 'iframe';
}
