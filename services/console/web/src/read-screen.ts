import type { PageData, Screen } from '../../src/screens/screens';

/** Statuses of a page that has ended, or whose user has no access any more. */
const ended: ReadonlySet<number> = new Set([401, 410]);

/** Reads the data of a screen of this page. @throws Error when the server does not send it */
export async function readScreen<Name extends Screen['name']>(
  url: string,
  name: Name,
  signal: AbortSignal,
): Promise<Extract<Screen, { name: Name }>> {
  const response = await fetch(url, { headers: { Accept: 'application/json' }, signal });
  // The document says what the user can do.
  if (ended.has(response.status)) location.replace(url);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const { screen } = (await response.json()) as PageData;
  if (screen.name !== name) throw new Error(`the screen is ${screen.name}`);
  return screen as Extract<Screen, { name: Name }>;
}
