/** A page that is written in Markdown. */
export interface Page {
  /** The last part of its path, `/docs/{name}`, and the name of its file without `.md`. */
  name: string;
  title: string;
  /** One sentence for lists of pages. */
  summary: string;
  /** The file in the repository, if it is elsewhere than in `pages`. */
  file?: string;
}

/** The OpenAPI document of an API, shown at `/docs/reference/{name}`. */
export interface Reference {
  name: string;
  title: string;
  summary: string;
  /** Which base URL serves the document, and at which path. */
  base: 'base_url' | 'auth_url' | 'search_url' | 'analytics_url';
  path: string;
}

/** The landing page, at `/docs`. */
export const landingPage: Page = {
  name: 'index',
  title: 'Tributary for developers',
  summary: 'What Tributary does, and where to begin.',
};

/** What a browser gets for an unknown address. */
export const notFoundPage: Page = {
  name: 'not-found',
  title: 'Not found',
  summary: 'There is no page at this address.',
};

export const guides: readonly Page[] = [
  {
    name: 'quick-start',
    title: 'Quick start',
    summary: 'From a client application to the first FHIR query, in ten minutes.',
  },
  {
    name: 'connecting',
    title: 'Connecting users',
    summary: 'Find a health system, connect a user, follow the collection, and reconnect.',
  },
  { name: 'webhooks', title: 'Webhooks', summary: 'Receive, verify, replay and debug events.' },
  {
    name: 'fhir-search',
    title: 'FHIR search by example',
    summary: 'The queries that applications need, with their results.',
  },
  {
    name: 'export',
    title: 'Bulk export',
    summary: 'Download a whole record, or all records of a client application, as NDJSON.',
  },
  {
    name: 'audit-events',
    title: 'Audit events',
    summary: 'Who has accessed whose record, as FHIR AuditEvent.',
  },
  {
    name: 'sdk',
    title: 'SDK for JavaScript',
    summary:
      'The client for servers and browsers: tokens that refresh themselves, connections, FHIR, exports, webhooks.',
    file: 'packages/sdk/README.md',
  },
  {
    name: 'mcp',
    title: 'Language models (MCP)',
    summary: 'Give a language model the record of a user as tools.',
  },
  { name: 'limits', title: 'Limits', summary: 'Rates, sizes and lifetimes, and how the service signals them.' },
  {
    name: 'sandbox',
    title: 'The sandbox',
    summary: 'Synthetic people, and scenarios of health systems that misbehave.',
  },
  {
    name: 'versioning',
    title: 'Versioning and deprecation',
    summary: 'What may change without notice, and what is announced.',
  },
  { name: 'production', title: 'Going to production', summary: 'A checklist before the first patient connects.' },
];

/** Pages that infra/docs maintains for developers and operators alike. */
export const factPages: readonly Page[] = [
  {
    name: 'api',
    title: 'States, tokens and credentials',
    summary: 'What holds for all APIs, and the states behind them.',
    file: 'infra/docs/api.md',
  },
  {
    name: 'errors',
    title: 'Errors',
    summary: 'Every code of errors, connections and warnings, with its cause and remedy.',
    file: 'infra/docs/errors.md',
  },
  {
    name: 'changelog',
    title: 'Changelog',
    summary: 'What has changed, by date.',
    file: 'infra/docs/changelog.md',
  },
];

export const references: readonly Reference[] = [
  {
    name: 'users',
    title: 'Users, connections and webhooks',
    summary: 'Create users, connect them, and receive events.',
    base: 'base_url',
    path: '/user-management/openapi.json',
  },
  {
    name: 'tokens',
    title: 'Tokens',
    summary: 'Exchange codes, refresh and revoke tokens.',
    base: 'auth_url',
    path: '/openapi.json',
  },
  {
    name: 'health-systems',
    title: 'Health systems',
    summary: 'Search the directory.',
    base: 'search_url',
    path: '/openapi.json',
  },
  {
    name: 'fhir',
    title: 'FHIR',
    summary: 'Read, search and write resources in R4, STU3 and DSTU2.',
    base: 'base_url',
    path: '/fhir-store/openapi.json',
  },
  {
    name: 'audit-events',
    title: 'Audit events',
    summary: 'Who has accessed whose record, as FHIR AuditEvent.',
    base: 'base_url',
    path: '/audit/openapi.json',
  },
  {
    name: 'bulk-export',
    title: 'Bulk export',
    summary: 'Export records as NDJSON.',
    base: 'analytics_url',
    path: '/openapi.json',
  },
];
