import type { ZodType } from 'zod';

export interface HttpRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  headers?: Record<string, string>;
  form?: Record<string, string>;
  /** In place of a form. */
  body?: string;
}

/**
 * Sends one HTTP request that must succeed.
 * @throws Error with status and body of any other response
 */
export async function callJson<T>(
  shape: ZodType<T>,
  url: string,
  { method = 'GET', headers = {}, form, body }: HttpRequest = {},
): Promise<T> {
  const sent = form === undefined ? body : new URLSearchParams(form);
  const response = await fetch(url, {
    method,
    headers,
    ...(sent === undefined ? {} : { body: sent }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 300)}`);
  return shape.parse(JSON.parse(text));
}

export const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

/** Starts the work for the items in order, with a limited number of concurrent runs. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (let index = next++; index < items.length; index = next++) await work(items[index] as Item, index);
    }),
  );
}
