/**
 * The patterns of a registration that match a FHIR base, the most specific first: the base itself, its host with port,
 * its host, and its domains as `*.domain`.
 */
export function registrationPatterns(fhirBaseUrl: string): string[] {
  const { host, hostname } = new URL(fhirBaseUrl);
  const labels = hostname.split('.');
  const domains = labels.slice(1, -1).map((_label, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [normalizedBase(fhirBaseUrl), host, hostname, ...domains];
}

/**
 * A FHIR base, or a host, in the form in which it is compared: scheme and host are case-insensitive, paths are not, and
 * slashes at the end are ignored.
 */
export function normalizedBase(fhirBaseUrl: string): string {
  const [, origin, path] = /^(https?:\/\/[^/]*)(.*)$/i.exec(fhirBaseUrl) ?? [];
  return origin === undefined ? fhirBaseUrl.toLowerCase() : origin.toLowerCase() + withoutFinalSlash(path ?? '');
}

/** Removes the slashes at the end of a URL or path, such as that of a FHIR base before a path is appended to it. */
export function withoutFinalSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
