import type { MadeCount, PageData, Screen } from '../../../src/connect-pages/screens/screens';

/** Statuses of a page that has ended, or whose user has no access any more. */
const ended: ReadonlySet<number> = new Set([401, 410]);

/** The page in a frame has ended. */
export class PageEnded extends Error {
  constructor(readonly status: number) {
    super('the page has ended');
    this.name = 'PageEnded';
  }
}

/** Reads the data of a screen of this page. @throws Error when the server does not send it */
export async function readScreen<Name extends Screen['name']>(
  url: string,
  name: Name,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Extract<Screen, { name: Name }>> {
  const { screen } = (await readJson(url, signal, headers)) as PageData;
  if (screen.name !== name) throw new Error(`the screen is ${screen.name}`);
  return screen as Extract<Screen, { name: Name }>;
}

/** Reads how many connections were made on this page. @throws Error when the server does not send it */
export async function readMade(path: string, signal: AbortSignal): Promise<MadeCount> {
  return (await readJson(`${path}/made`, signal)) as MadeCount;
}

async function readJson(
  url: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(url, { headers: { ...headers, Accept: 'application/json' }, signal });
  if (ended.has(response.status) && parent !== window) throw new PageEnded(response.status);
  // The document says what the user can do.
  if (ended.has(response.status)) location.replace(url);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}
