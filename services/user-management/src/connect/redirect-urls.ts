import type { Journey } from './connect-session';

/** Adds parameters to an address to the letter: parsing and writing it again would change some addresses. */
export function withParameters(address: string, parameters: Record<string, string | undefined>): string {
  const [, before = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(address) ?? [];
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  const separator = !before.includes('?') ? '?' : /[?&]$/.test(before) ? '' : '&';
  return before + separator + new URLSearchParams(given).toString() + fragment;
}

/** Back to the client (contract, "Connect"). */
export function clientAddress({ redirectUri, connected, firstError, healthSystem, clientState }: Journey): string {
  const outcome = connected ? { success: 'true' } : { success: 'false', error: firstError ?? 'health_system_error' };
  return withParameters(redirectUri, { ...outcome, health_system_id: String(healthSystem.id), state: clientState });
}
