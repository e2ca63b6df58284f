import type { ConnectSession } from './connect-session';

/** Appends query parameters to a URL. The rest stays byte for byte: parsing and serializing would change some URLs. */
export function appendParameters(url: string, parameters: Record<string, string | undefined>): string {
  const [, before = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(url) ?? [];
  const present = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  const separator = !before.includes('?') ? '?' : /[?&]$/.test(before) ? '' : '&';
  return before + separator + new URLSearchParams(present).toString() + fragment;
}

/** The client's redirect_uri with the outcome of the session. */
export function clientRedirectUrl(session: ConnectSession): string {
  const { redirectUri, isConnected, firstError, healthSystem, clientState } = session;
  const outcome = isConnected ? { success: 'true' } : { success: 'false', error: firstError ?? 'health_system_error' };
  return appendParameters(redirectUri, { ...outcome, health_system_id: String(healthSystem.id), state: clientState });
}
