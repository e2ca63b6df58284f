export const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const appScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

/**
 * Validates a redirect_uri: https, http on a loopback address (RFC 8252, section 7.3), or a private-use scheme of an
 * app (section 7.1), without a fragment (RFC 6749, section 3.1.2).
 * @returns what is wrong, as a predicate of the URI; undefined when it is valid
 */
export function redirectUriProblem(text: string): string | undefined {
  if (!URL.canParse(text) || /[^\x21-\x7e]/.test(text)) return 'is not an absolute URI';
  if (text.includes('#')) return 'must not have a fragment';
  const { protocol, hostname, username, password } = new URL(text);
  if (username || password) return 'must not hold a user name or password';
  const allowed =
    protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname)) || appScheme.test(protocol);
  return allowed ? undefined : 'must be https, or http on localhost, or the reverse-domain scheme of an app';
}
