import { createHash } from 'node:crypto';
import { withoutFinalSlash } from '@tributary/contracts';
import { sortKey } from '../ranking/words';
import { z } from 'zod';
import type { ReadResult } from './brands-format';
import { type AddressProblem, readEndpointAddress } from './endpoint-address';
import type { OrganizationContent } from './read-organization';
import { tidy } from './postal-address';

const text = z.string().optional().catch(undefined);
const row = z.object({ URL: text, OrganizationName: text, NPIID: text, OrganizationZipCode: text });

export type RowProblem = AddressProblem | 'no name' | 'no address' | 'address of a test system' | 'not a row of a list';

export interface ReadRow {
  /** Identifies the row: equal rows are equal in all fields. */
  key: string;
  /** Keys by which a later load recognizes the health system, the most reliable first. */
  keys: string[];
  sortKey: string;
  address: string;
  content: OrganizationContent;
}

const maxNameLength = 300;
/** Parts of host names and paths of systems that have no patients. */
const testWords = new Set(
  'test testing tst sandbox sbx staging stage stg uat qa dev demo nonprod preprod example'.split(' '),
);

/**
 * Reads a row of an endpoint list as ONC's Lantern publishes it:
 * `{"URL", "OrganizationName", "NPIID", "OrganizationZipCode"}`. These lists are collected from vendors' pages and
 * contain what those contain: empty names, private addresses, and systems for tests, which are rejected.
 * @param options `sandbox` allows http, private and test addresses; `keepTestSystems` test addresses only
 * @see https://github.com/onc-healthit/lantern-back-end
 */
export function readListRow(
  value: unknown,
  options: { sandbox: boolean; keepTestSystems: boolean },
): ReadResult<ReadRow, RowProblem> {
  const parsed = row.safeParse(value);
  if (!parsed.success) return { problem: 'not a row of a list' };
  const { URL: published, OrganizationName, NPIID, OrganizationZipCode } = parsed.data;
  const name = tidy(OrganizationName)?.slice(0, maxNameLength) ?? '';
  const nameKey = sortKey(name);
  if (nameKey === '') return { problem: 'no name' };
  if (!published?.trim()) return { problem: 'no address' };
  const read = readEndpointAddress(published, options.sandbox);
  if ('problem' in read) return read;
  if (!options.sandbox && !options.keepTestSystems && isTestAddress(read.address))
    return { problem: 'address of a test system' };
  const postalCode = tidyPostalCode(OrganizationZipCode);
  const npi = NPIID?.trim() ?? '';
  const address = withoutFinalSlash(read.address);
  return {
    value: {
      key: `row:${hash(nameKey, address, postalCode, npi)}`,
      keys: [
        `listed:${hash(nameKey, address)}`,
        ...(/^\d{10}$/.test(npi) ? [`npi:${npi}`] : []),
        ...(postalCode === '' ? [] : [`address:${hash(nameKey, postalCode)}`]),
      ],
      sortKey: nameKey,
      address: read.address,
      content: {
        name,
        address: postalCode,
        aliases: [],
        addresses: postalCode === '' ? [] : [{ postalCode }],
        portals: [],
      },
    },
  };
}

function isTestAddress(address: string): boolean {
  const { hostname, pathname } = new URL(address);
  return [...hostname.split('.'), ...pathname.split('/')].some((part) =>
    part
      .toLowerCase()
      .split(/[-_]/)
      .some((word) => testWords.has(word)),
  );
}

/** Nine digits are written with a hyphen; what holds no digit is no postal code of the United States. */
function tidyPostalCode(published: string | undefined): string {
  const code = tidy(published)?.slice(0, 20) ?? '';
  if (!/\d/.test(code) || /^[0-]+$/.test(code)) return '';
  return code.replace(/^(\d{5})(\d{4})$/, '$1-$2').replace(/-$/, '');
}

function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
