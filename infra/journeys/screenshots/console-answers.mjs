// What the API of the developer console answers on the pages that are looked at.

/** When everything is looked at. */
export const now = '2026-11-30T14:40:00Z';
const earlier = '2026-11-28T09:12:00Z';
const later = '2026-12-06T09:12:00Z';
export const ids = Array.from({ length: 40 }, (_, index) => `0195f0a2-7b7c-7c3b-9b1e-5a4c3d2e1f${10 + index}`);

export const organisation = { id: ids[0], name: 'Better Sleep', role: 'owner', may_have_live_clients: true };
export const cooperative = {
  id: ids[1],
  name: 'Cherry Basin Research Cooperative of Northern Cherry County',
  role: 'read_only',
  may_have_live_clients: false,
};
export const factors = { totp: { added_at: earlier }, passkeys: [], recovery_codes_left: 2 };
const passkey = { id: ids[2], name: 'Work laptop', created_at: earlier, last_used_at: earlier };
export const account = {
  id: ids[3],
  email: 'ada@bettersleep.example',
  name: 'Ada Lindqvist',
  created_at: earlier,
  session: { id: ids[4], level: 'second_factor', second_factor_at: now, ends_at: '2026-12-01T02:30:00Z' },
  second_factors: { ...factors, passkeys: [passkey] },
  organisations: [organisation, cooperative],
};
export const withPassword = {
  ...account,
  session: { ...account.session, level: 'password' },
  second_factors: { passkeys: [], recovery_codes_left: 0, totp: null },
  organisations: [],
};
export const clients = [
  {
    client_id: 'test_61b8a3f04c7d2e95',
    name: 'Better Sleep',
    mode: 'test',
    redirect_uris: ['https://app.bettersleep.example/connected', 'http://localhost:3000/back'],
    people: 'one',
    consent_days: 365,
    frame_origins: ['https://app.bettersleep.example'],
    requested_types: ['Condition', 'Observation', 'Patient'],
    previous_secret_expires_at: '2026-12-01T09:12:00Z',
  },
  {
    client_id: 'live_0f3d8c21b7a64e59',
    name: 'Better Sleep',
    mode: 'live',
    redirect_uris: ['https://app.bettersleep.example/connected'],
    people: 'several',
  },
  {
    client_id: 'test_aa10',
    name: 'Prototype of the study of sleep with a rather long name',
    mode: 'test',
    redirect_uris: ['https://old.example/back'],
    people: 'one',
    disabled_at: earlier,
    deletion_at: later,
  },
];
export const ofCooperative = { ...clients[0], client_id: 'test_research', name: 'Research' };
const members = [
  { account_id: account.id, email: account.email, name: account.name, role: 'owner', joined_at: earlier },
  {
    account_id: ids[5],
    email: 'konstantinos.papadopoulos@engineering.bettersleep.example',
    name: 'Konstantinos Papadopoulos',
    role: 'developer',
    joined_at: earlier,
  },
  { account_id: ids[6], email: 'mei@bettersleep.example', name: 'Mei Tanaka', role: 'read_only', joined_at: earlier },
];
const invitation = {
  id: ids[7],
  email: 'noor@bettersleep.example',
  role: 'developer',
  invited_by: account.name,
  expires_at: later,
};
const sessions = [
  { id: ids[4], current: true, browser: 'Firefox on Linux', address: '203.0.113.7' },
  { id: ids[8], current: false, browser: 'Safari on iOS', address: '2001:db8:85a3:8d3:1319:8a2e:370:7348' },
].map((session) => ({
  ...session,
  level: 'second_factor',
  created_at: earlier,
  last_used_at: earlier,
  ends_at: account.session.ends_at,
}));
const codes = Array.from({ length: 10 }, (_, index) => `ABCD-EFGH-JKLM-NP${10 + index}`);

const users = Array.from({ length: 12 }, (_, index) => ({
  service_user_id: 9000 + index,
  app_user_id: index === 3 ? 'a-very-long-identifier-of-a-user-of-the-application-0123456789' : `user-${1000 + index}`,
  active: index % 9 !== 4,
}));
const connection = {
  connection_id: ids[9],
  health_system: { id: 1, name: 'Cherry Basin Hospital' },
  fhirVersion: 'r4',
  patient: { id: 'x' },
  other_person: false,
  status: 'active',
  progress: { collected: 1403, types_done: 14, types_total: 14 },
  complete: false,
  outcomes: {},
  warnings: [
    { type: 'Coverage', code: 'refused', message: 'The health system refused the request.' },
    { code: 'unreadable', message: 'Three resources could not be read.' },
  ],
  warnings_omitted: 0,
  information: [],
  last_collected_at: earlier,
  granted_scopes: [],
  refreshable: true,
  consent: {},
};
const lostConnection = {
  ...connection,
  connection_id: ids[10],
  health_system: {
    id: 2,
    name: 'The Regents of the University Hospitals and Community Clinics of Northern Cherry County, Inc.',
  },
  status: 'needs_reauthorization',
  progress: { collected: 12, types_done: 0, types_total: 0 },
  warnings: [],
  last_collected_at: null,
  error: { code: 'refresh_refused', message: 'The health system refused the refresh token.' },
};
export const endpoint = {
  endpoint_id: ids[11],
  url: 'https://api.bettersleep.example/webhooks/tributary',
  mode: 'test',
  status: 'enabled',
  last_success_at: earlier,
  consecutive_failures: 0,
  created_at: earlier,
};
export const disabledEndpoint = {
  ...endpoint,
  endpoint_id: ids[12],
  url: 'https://staging.api.bettersleep.example/webhooks/tributary/of/the/second/kind',
  events: ['connection.active', 'user.deleted'],
  status: 'disabled',
  disabled_reason: 'no event was accepted for 24 hours',
  disabled_at: earlier,
  last_failure: { at: earlier, reason: 'ECONNREFUSED' },
  consecutive_failures: 31,
};
const deliveries = ['delivered', 'failed', 'missed', 'pending'].map((state, index) => ({
  webhook_id: `msg_${ids[13 + index]}`,
  event: index % 2 ? 'collection.completed' : 'connection.needs_reauthorization',
  timestamp: earlier,
  service_user_id: 9000 + index,
  state,
  attempts:
    state === 'missed'
      ? []
      : [
          { at: earlier, duration_ms: 5012, reason: 'ETIMEDOUT' },
          { at: '2026-11-28T09:15:00Z', duration_ms: 92, status: state === 'delivered' ? 200 : 500 },
        ],
  ...(state === 'pending' ? { next_attempt_at: later } : {}),
}));

export const refused = (status, error_code, error) => ({ status, json: { success: false, error, error_code } });
export const signedOut = { account: refused(401, 'not_signed_in', 'there is no session') };
const ofClient = (client, api, path) => `clients/${client.client_id}/${api}/${path}`;
export const [test] = clients;
const settings = ofClient(test, 'auth', 'client-management/v1/client');
export const userPath = ofClient(test, 'base', 'user-management/v1/user');
export const webhookPath = ofClient(test, 'base', 'connect/v1/webhooks');
export const activityPath = ofClient(test, 'base', 'connect/v1/activity');
export const exportsPath = ofClient(test, 'analytics', 'bulk-data/r4/$export-status');
export const eventsPath = ofClient(test, 'base', 'audit/r4/AuditEvent');
export const events = (found) => ({
  resourceType: 'Bundle',
  type: 'searchset',
  link: [],
  entry: found.map((resource) => ({
    fullUrl: `https://base.tributary.example/audit/r4/AuditEvent/${resource.id}`,
    resource,
  })),
});
export const list = (entry) => ({ success: true, total: entry.length, offset: 0, limit: 50, entry });

const noFailures = { connects: {}, refreshes: {}, collections: {}, types_refused: {} };
export const noActivity = {
  collections: { complete: 0, incomplete: 0, failed: 0 },
  collection_seconds: null,
  resources: {},
  failures: noFailures,
  new_connections: 0,
  webhooks: { delivered_at_first: 0, delivered_later: 0, failed: 0 },
  webhook_ms: null,
};
const busyActivity = (index) => ({
  collections: { complete: 40 + ((index * 7) % 23), incomplete: 3 + (index % 4), failed: index % 5 === 2 ? 4 : 0 },
  collection_seconds: { p50: 60, p95: 600 },
  resources: { Observation: 5200 + index * 41, Encounter: 310, Condition: 96, DocumentReference: 140, Coverage: 12 },
  failures: { ...noFailures, connects: { access_denied: 2 }, collections: { incomplete: 3, unavailable: 1 } },
  new_connections: 12 + (index % 7),
  webhooks: { delivered_at_first: 180 + index, delivered_later: index % 6, failed: index % 9 === 4 ? 2 : 0 },
  webhook_ms: { p50: 100, p95: 500 },
});
/** @param ofDay makes the counts of a day; those of the whole time are like thirty of one day */
export const activityOf = (ofDay) => {
  const days = Array.from({ length: 30 }, (_, index) => ({
    day: new Date(Date.parse('2026-11-01') + index * 86_400_000).toISOString().slice(0, 10),
    ...ofDay(index),
  }));
  const times = (counts) => Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count * 30]));
  const { collections, resources, failures, webhooks, new_connections, ...percentiles } = ofDay(1);
  return {
    success: true,
    from: days[0].day,
    until: days.at(-1).day,
    total: {
      collections: times(collections),
      resources: times(resources),
      failures: Object.fromEntries(Object.entries(failures).map(([kind, counts]) => [kind, times(counts)])),
      webhooks: times(webhooks),
      new_connections: new_connections * 30,
      ...percentiles,
    },
    days,
    health_systems: [connection, lostConnection]
      .map(({ health_system }) => ({ health_system, failures }))
      .filter(() => new_connections > 0),
    other_health_systems: { count: 0, failures: noFailures },
  };
};
export const finishedExport = {
  export_id: ids[20],
  status_url: `https://analytics.tributary.example/bulk-data/r4/$export-status/${ids[20]}`,
  state: 'finished',
  progress: 100,
  created_at: earlier,
  expires_at: later,
  in_r4: true,
  filters: [],
};
const otherExports = [
  { ...finishedExport, export_id: ids[21], state: 'planning', progress: 37, types: ['Observation', 'Condition'] },
  {
    ...finishedExport,
    export_id: ids[22],
    state: 'failed',
    error: { code: 'export_failed', message: 'it has failed' },
  },
];
const manifest = {
  transactionTime: earlier,
  request: 'https://analytics.tributary.example/bulk-data/r4/$export',
  requiresAccessToken: true,
  output: ['Condition', 'MedicationAdministration', 'Observation'].map((type, index) => ({
    type,
    url: `https://analytics.tributary.example/bulk-data/r4/$export/${type}/${'f'.repeat(43)}.ndjson`,
    count: 10 ** (index + 3) + 7,
    extension: { fhirVersion: 'r4' },
  })),
  deleted: [],
  error: [],
};
const limit = (name, quota, remaining) => ({
  name,
  description: 'Requests of a client to these routes.',
  quota,
  window_seconds: 3600,
  remaining,
  resets_at: remaining < quota ? '2026-11-30T15:12:00Z' : null,
});
const event = (index) => ({
  resourceType: 'AuditEvent',
  id: `e${index}`,
  type: {
    system: 'http://terminology.hl7.org/CodeSystem/audit-event-type',
    code: 'rest',
    display: 'RESTful Operation',
  },
  subtype: [{ code: ['read', 'user.created', 'webhook.sent'][index % 3] }],
  action: 'R',
  recorded: `2026-11-30T14:${10 + index}:07Z`,
  outcome: index % 5 === 2 ? '8' : '0',
  agent: [
    {
      who: { identifier: { system: 'https://base.tributary.example/audit/client-id', value: test.client_id } },
      requestor: true,
      network: { address: '203.0.113.7', type: '2' },
    },
  ],
});
const document = {
  openapi: '3.1.0',
  info: { title: 'Users', version: '1' },
  tags: [{ name: 'Users' }],
  paths: {
    '/user-management/v1/user': {
      get: {
        operationId: 'listUsers',
        summary: 'List users, or find one',
        description: 'Newest first.',
        tags: ['Users'],
        security: [{ client_id: [], client_secret: [] }],
        parameters: [
          { name: 'app_user_id', in: 'query', schema: { type: 'string' }, description: 'Your own identifier.' },
          { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } },
        ],
        responses: { 200: { description: 'Users.' } },
      },
    },
  },
};

/** What the API answers unless a state says otherwise, by method and path without its query. GET is not written. */
export const usualAnswers = {
  account,
  'account/sessions': { entry: sessions },
  'POST account/recovery-codes': { recovery_codes: codes },
  [`organisations/${organisation.id}/clients`]: { entry: clients },
  [`organisations/${cooperative.id}/clients`]: { entry: [ofCooperative] },
  [`organisations/${organisation.id}/members`]: { entry: members, invitations: [invitation] },
  [`organisations/${cooperative.id}/members`]: { entry: members, invitations: [] },
  [`POST organisations/${organisation.id}/clients`]: {
    ...test,
    name: 'Sleep diary',
    client_secret: 'kq0Wb3nE8yH1xT5uR7vZ2cM4pA6sD9fG',
  },
  [`POST ${settings}/secret`]: { ...test, client_secret: 'newW9b3nE8yH1xT5uR7vZ2cM4pA6sD9fG' },
  [userPath]: ({ service_user_id: id }) => ({
    ...list(id ? users.filter((user) => String(user.service_user_id) === id) : users),
    total: id ? 1 : 137,
  }),
  [ofClient(test, 'base', 'connect/v1/connections')]: list([connection, lostConnection]),
  [webhookPath]: list([endpoint, disabledEndpoint]),
  [`POST ${webhookPath}/${endpoint.endpoint_id}/test`]: {
    success: true,
    delivered: true,
    status: 204,
    duration_ms: 84,
  },
  [`${webhookPath}/${endpoint.endpoint_id}/deliveries`]: { ...list(deliveries), next_cursor: '1-2' },
  [`${webhookPath}/${disabledEndpoint.endpoint_id}/deliveries`]: list(deliveries.slice(1, 3)),
  [activityPath]: activityOf(busyActivity),
  [exportsPath]: { ...list([finishedExport, ...otherExports]) },
  [`${exportsPath}/${finishedExport.export_id}`]: manifest,
  [ofClient(test, 'base', 'user-management/v1/usage')]: list([limit('user-management', 300, 288)]),
  [ofClient(test, 'auth', 'client-management/v1/usage')]: list([limit('tokens-client', 6000, 400)]),
  [ofClient(test, 'analytics', 'bulk-data/v1/usage')]: list([limit('export', 60, 0), limit('download', 6000, 6000)]),
  [ofClient(test, 'base', 'audit/v1/usage')]: list([]),
  [eventsPath]: events(Array.from({ length: 12 }, (_, index) => event(index))),
  ...Object.fromEntries(
    ['tokens', 'health-systems', 'fhir', 'bulk-export', 'audit-events'].map((name) => [
      `documents/${name}`,
      { ...document, paths: {} },
    ]),
  ),
  'documents/users': document,
};
