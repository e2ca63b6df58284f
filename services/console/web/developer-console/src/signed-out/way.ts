import { useSearchParams } from 'react-router';
import type { PasswordAccepted } from '../api/answers';

/** Where to go after signing in: an address of the console, from the address of the page. */
export function useNext(): { next: string; query: string } {
  const [parameters] = useSearchParams();
  const given = parameters.get('next') ?? '';
  // Another site must not be able to send somebody elsewhere by a link to the console.
  const next = /^\/(?![/\\])/.test(given) ? given : '/';
  return { next, query: next === '/' ? '' : `?${new URLSearchParams({ next }).toString()}` };
}

/** The address of what follows a right password. */
export function afterPassword(next: PasswordAccepted['next']): string {
  return `/sign-in/${next === 'second_factor' ? 'second-factor' : 'new-second-factor'}`;
}

const fragment = /^#token=([\w-]+)$/;

/** The token of the link in a mail. It is taken out of the address, so that it stays in no history. */
export const mailToken = fragment.exec(location.hash)?.[1];
if (mailToken !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
// Another link to the same page would load nothing.
addEventListener('hashchange', () => {
  if (fragment.test(location.hash)) location.reload();
});
