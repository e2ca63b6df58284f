import { useSearchParams } from 'react-router';

/** Where to go after signing in: an address of the console, from the address of the page. */
export function useNext(): { next: string; query: string } {
  const [parameters] = useSearchParams();
  const given = parameters.get('next') ?? '';
  // Another site must not be able to send somebody elsewhere by a link to the console.
  const next = /^\/(?![/\\])/.test(given) ? given : '/';
  return { next, query: next === '/' ? '' : `?${new URLSearchParams({ next }).toString()}` };
}

/** Takes the token of a mail out of the address, so that it stays in no history. */
export function takeToken(): string | undefined {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
