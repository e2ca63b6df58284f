import { loopback } from './redirect-uri';

/** Without the characters that separate sources and directives of a Content-Security-Policy, and without wildcards. */
const plainOrigin = /^https?:\/\/[a-z\d-]+(\.[a-z\d-]+)*(:\d+)?$/;
const maxLength = 255;

/**
 * Validates an origin for the directive `frame-ancestors`: https, or http on localhost in sandbox mode, as browsers
 * write it.
 * @returns what is wrong, as a predicate of the origin; undefined when it is valid
 */
export function frameOriginProblem(text: string, sandboxMode: boolean): string | undefined {
  if (text.length > maxLength || !plainOrigin.test(text) || !URL.canParse(text) || new URL(text).origin !== text)
    return 'must be an origin such as https://app.example.org, in lower case, without a path and without the default port';
  const { protocol, hostname } = new URL(text);
  const allowed = protocol === 'https:' || (sandboxMode && loopback.test(hostname));
  return allowed ? undefined : 'must be https, or http on localhost in sandbox mode';
}
