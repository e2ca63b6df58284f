import { parsePrefer } from '@tributary/service-kit';

/** What a client requests by the header `Prefer` (RFC 7240). */
export interface Preferences {
  /** The asynchronous flow of the Bulk Data Access guide. */
  respondAsync: boolean;
  /** How to treat unsupported parameters; undefined: as the contract says for each. */
  handling?: 'strict' | 'lenient';
}

/** Parses the header; unknown preferences and values are ignored, as RFC 7240 requires. */
export function readPreferences(header: string | undefined): Preferences {
  const preferences = parsePrefer(header);
  const handling = preferences.get('handling');
  return {
    respondAsync: preferences.has('respond-async'),
    ...(handling === 'strict' || handling === 'lenient' ? { handling } : {}),
  };
}
