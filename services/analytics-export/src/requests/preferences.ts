/** What a caller would like, by the header `Prefer` (RFC 7240). */
export interface Preferences {
  /** The asynchronous flow of the Bulk Data Access guide. */
  respondAsync: boolean;
  /** What to do about parameters that are not supported; without it they are ignored. */
  handling?: 'strict' | 'lenient';
}

/** Reads the header; several fields of it come joined by commas. The first word on a preference counts. */
export function readPreferences(header: string | undefined): Preferences {
  const words = (header ?? '')
    .split(',')
    .map((preference) => preference.split(';', 1)[0]?.replaceAll(/[\s"]/g, '').toLowerCase());
  const handling = words
    .find((word) => word === 'handling=strict' || word === 'handling=lenient')
    ?.slice('handling='.length);
  return {
    respondAsync: words.includes('respond-async'),
    ...(handling === 'strict' || handling === 'lenient' ? { handling } : {}),
  };
}
