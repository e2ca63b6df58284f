/** Builders of endpoint lists as Lantern publishes them. */
export interface GivenRow {
  url?: unknown;
  name?: unknown;
  npi?: string;
  zip?: string;
}

export function row({ url, name, npi = '', zip = '' }: GivenRow): object {
  return { URL: url, OrganizationName: name, NPIID: npi, OrganizationZipCode: zip };
}

export function listOf(...rows: object[]): string {
  return JSON.stringify({ Endpoints: rows });
}
