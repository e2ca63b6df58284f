import type { PageData, Screen } from '../../src/screens/screens';

/** Reads the data of a screen of this page. @throws Error when the server does not send it */
export async function readScreen<Name extends Screen['name']>(
  url: string,
  name: Name,
  signal: AbortSignal,
): Promise<Extract<Screen, { name: Name }>> {
  const response = await fetch(url, { headers: { Accept: 'application/json' }, signal });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const { screen } = (await response.json()) as PageData;
  if (screen.name !== name) throw new Error(`the screen is ${screen.name}`);
  return screen as Extract<Screen, { name: Name }>;
}
