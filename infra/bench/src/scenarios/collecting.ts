import { setTimeout as pause } from 'node:timers/promises';
import { connectionList } from '@tributary/contracts';
import type { BenchUser } from '../suite/users';
import { bearer, callJson } from '../suite/http';
import type { BenchContext } from '../bench-context';

const withinMs = 240_000;
const maxRedirects = 15;

export interface Collected {
  resources: number;
  /** The time from the redirect to the application until the collection is complete. */
  seconds: number;
}

/**
 * Connects the user to the sandbox as its patient `username`, and waits until the R4 record is collected.
 * @throws Error when the collection fails or exceeds the time limit
 */
export async function collect(context: BenchContext, user: BenchUser, username: string): Promise<Collected> {
  const { ready } = context.suite.running;
  const query = new URLSearchParams({
    client_id: context.client.client_id,
    access_token: user.token,
    fhirVersion: 'r4',
    prompt: 'none',
    login_hint: username,
  });
  await signIn(
    `${ready.base_url}/connect/system/clinical/${ready.sandbox.health_system_id}?${query.toString()}`,
    ready.client.redirect_uri,
  );
  const began = performance.now();
  for (;;) {
    const { entry } = await callJson(connectionList, `${ready.base_url}/connect/v1/connections`, {
      headers: bearer(user.token),
    });
    const seconds = (performance.now() - began) / 1000;
    const [connection] = entry;
    const resources = connection?.progress.collected ?? 0;
    if (connection && connection.status !== 'collecting') {
      if (connection.status !== 'active')
        throw new Error(
          `the connection to the sandbox is ${connection.status}: ${connection.error?.message ?? 'no reason given'}`,
        );
      return { resources, seconds };
    }
    if (seconds * 1000 > withinMs)
      throw new Error(`only ${resources} resources were collected within ${withinMs / 1000} s`);
    await pause(200);
  }
}

/** Follows the redirects of a sign-in with cookies until one leads to the application at `back`. */
async function signIn(start: string, back: string): Promise<void> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hop = 0; hop < maxRedirects; hop++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const text = await response.text();
    if (!location)
      throw new Error(`connecting ended at ${new URL(url).pathname} with ${response.status}: ${text.slice(0, 200)}`);
    url = new URL(location, url).href;
    if (!url.startsWith(back)) continue;
    const { searchParams } = new URL(url);
    if (searchParams.get('success') !== 'true')
      throw new Error(`the sandbox refused: ${searchParams.get('error') ?? 'no reason given'}`);
    return;
  }
  throw new Error('the redirects of the sign-in do not end');
}
