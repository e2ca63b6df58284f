import { createHash } from 'node:crypto';
import { withoutFinalSlash } from '@tributary/contracts';
import { sortKey } from '../ranking/words';
import { z } from 'zod';
import type { ReadResult } from './brands-format';
import { readEndpointAddress } from './endpoint-address';
import type { OrganizationContent, ReadOrganization } from './read-organization';
import { tidy } from './postal-address';

const text = z.string().optional().catch(undefined);
const row = z.object({ URL: text, OrganizationName: text, NPIID: text, OrganizationZipCode: text });

const maxNameLength = 300;
/** Parts of host names and paths of systems that have no patients. */
const testWords = new Set(
  'test testing tst sandbox sbx staging stage stg uat qa dev demo nonprod preprod example'.split(' '),
);

/** A row of a list. Files have hundreds of thousands: what follows from its fields is computed when it is needed. */
class ListedOrganization implements ReadOrganization {
  readonly key: string;

  constructor(
    private readonly name: string,
    readonly address: string,
    private readonly postalCode: string,
    private readonly npi: string,
  ) {
    this.key = `row:${hash(this.sortKey, withoutFinalSlash(address), postalCode, npi)}`;
  }

  get keys(): string[] {
    return [
      `listed:${hash(this.sortKey, withoutFinalSlash(this.address))}`,
      ...(/^\d{10}$/.test(this.npi) ? [`npi:${this.npi}`] : []),
      ...(this.postalCode === '' ? [] : [`address:${hash(this.sortKey, this.postalCode)}`]),
    ];
  }

  get sortKey(): string {
    return sortKey(this.name);
  }

  get partOf(): string[] {
    return [];
  }

  get endpointKeys(): string[][] {
    return [[this.address]];
  }

  get content(): OrganizationContent {
    const { name, postalCode } = this;
    const addresses = postalCode === '' ? [] : [{ postalCode }];
    return { name, address: postalCode, aliases: [], addresses, portals: [] };
  }
}

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
): ReadResult<ListedOrganization> {
  const parsed = row.safeParse(value);
  if (!parsed.success) return { problem: 'not a row of a list' };
  const { URL: published, OrganizationName, NPIID, OrganizationZipCode } = parsed.data;
  const name = tidy(OrganizationName)?.slice(0, maxNameLength) ?? '';
  if (sortKey(name) === '') return { problem: 'no name' };
  if (!published?.trim()) return { problem: 'no address' };
  const read = readEndpointAddress(published, options.sandbox);
  if ('problem' in read) return read;
  if (!options.sandbox && !options.keepTestSystems && isTestAddress(read.address))
    return { problem: 'address of a test system' };
  const postalCode = tidyPostalCode(OrganizationZipCode);
  return { value: new ListedOrganization(name, read.address, postalCode, tidy(NPIID) ?? '') };
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
