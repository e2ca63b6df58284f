// What the API of the developer console answers on the pages of operators.
import { account, clients, cooperative, ids, organisation } from './console-answers.mjs';

const earlier = '2026-11-28T09:12:00Z';
const lately = '2026-11-30T14:02:00Z';

const operated = clients.map((client, index) => ({
  ...client,
  organisation_id: index === 2 ? cooperative.id : organisation.id,
  created_at: earlier,
}));
export const [activeClient] = operated;
export const disabledClient = {
  ...operated[1],
  client_id: 'live_7be21c90d3f845a6',
  name: 'Prior authorisation of the Regents of the University Hospitals',
  organisation_id: cooperative.id,
  disabled_at: earlier,
  jwks_url: 'https://keys.regents.example/.well-known/jwks.json',
};
const organisations = [organisation, cooperative].map(({ id, name, may_have_live_clients }, index) => ({
  id,
  name,
  may_have_live_clients,
  created_at: earlier,
  members: 3 - index,
}));
export const [operatedOrganisation] = organisations;
const member = (index, email, name, role) => ({ account_id: ids[index], email, name, role });
const accounts = [
  { name: account.name, email: account.email, operator_since: earlier, organisations: [organisation, cooperative] },
  {
    name: 'Konstantinos Papadopoulos',
    email: 'konstantinos.papadopoulos@engineering.bettersleep.example',
    organisations: [{ ...organisation, role: 'developer' }],
  },
  { name: 'Mei Tanaka', email: 'mei@bettersleep.example', disabled_at: earlier },
  { name: 'Noor Haddad', email: 'noor@bettersleep.example', verified_at: null },
].map((each, index) => ({
  id: index === 0 ? account.id : ids[5 + index],
  created_at: earlier,
  verified_at: earlier,
  disabled_at: null,
  operator_since: null,
  organisations: [],
  ...each,
}));
export const [, otherAccount, disabledAccount] = accounts;

const registrations = [
  {
    matches: 'fhir_base',
    pattern: 'https://fhir.epic.cherry-basin.example/interconnect-production/api/FHIR/R4',
    client_id: '5f2c1a88-03bd-4e7e-9a41-77d1c2aa9f10',
    auth_method: 'private_key_jwt',
    scopes: 'launch/patient openid fhirUser offline_access patient/*.read',
  },
  { matches: 'host', pattern: '*.cerner.example', client_id: 'tributary', auth_method: 'client_secret_basic' },
  { matches: 'host', pattern: 'localhost:8443', client_id: 'tributary-sandbox', auth_method: 'client_secret_post' },
].map((each) => ({ ...each, redirect_uri: 'https://base.tributary.example/connect/callback' }));
const endpoint = { fhir_base_url: registrations[0].pattern, fhirVersion: 'r4' };
/** The steps of a connection test, as lines of JSON. */
const failedTest = {
  contentType: 'application/x-ndjson',
  body: [
    { step: 'registration', result: 'ok', message: `client_id ${registrations[0].client_id}, private_key_jwt` },
    {
      step: 'smart-configuration',
      result: 'warning',
      message: 'it does not list code_challenge_methods_supported',
      advice: 'ask the health system whether it supports PKCE with S256, which SMART App Launch 2 requires',
    },
    { step: 'metadata', result: 'ok', message: 'FHIR 4.0.1, Epic, August 2026' },
    {
      step: 'client authentication by private_key_jwt',
      result: 'failed',
      message: 'the token endpoint has answered 401 invalid_client: the key set of the client could not be read',
      advice: 'register https://base.tributary.example/.well-known/jwks.json as the key set of our client there',
    },
  ]
    .map((step) => `${JSON.stringify({ ...endpoint, ...step })}\n`)
    .join(''),
};
const pausedHosts = [
  {
    host: 'fhir.epic.cherry-basin.example',
    reason: 'maintenance until Tuesday noon',
    paused_at: lately,
    waiting: 1204,
  },
  {
    host: 'a-host-with-a-rather-long-name.of.the.regents.example:8443',
    reason: 'asked to',
    paused_at: earlier,
    waiting: 1,
  },
];
export const worstOutcomes = {
  health_system_id: '21',
  health_system_name: 'The Regents of the University Hospitals and Community Clinics of Northern Cherry County, Inc.',
  connects: { started: 1310, connected: 1102, failed: { access_denied: 120, invalid_scope: 31, token_refused: 4 } },
  refresh_failures: { invalid_grant: 17 },
  collections: { complete: 5210, incomplete: 310, unavailable: 12 },
  types_refused: { Coverage: 1102, DocumentReference: 40 },
};
const outcomes = {
  days: 7,
  entry: [
    worstOutcomes,
    {
      health_system_id: '1',
      health_system_name: 'Cherry Basin Hospital',
      connects: { started: 12, connected: 12, failed: {} },
      refresh_failures: {},
      collections: { complete: 40 },
      types_refused: {},
    },
  ],
  other_health_systems: 31,
};
const sources = [
  { name: 'epic', mode: 'live', origin: 'https://open.epic.example/Endpoints/R4', loaded_at: earlier, total: 1302 },
  { name: 'sandbox', mode: 'test', origin: 'directory/sandbox.json', loaded_at: lately, total: 4 },
];

export const queue = {
  jobs: { waiting: 1312, active: 24, delayed: 88, failed: 3, oldest_waiting_at: lately },
  hosts: [
    { host: pausedHosts[0].host, collections: 1204, retrying: 0, is_paused: true },
    { host: pausedHosts[1].host, collections: 190, retrying: 31, is_paused: false },
    { host: 'localhost:8443', collections: 2, retrying: 0, is_paused: false },
  ],
  connections: { collecting: 1424, active: 20_411, needs_reauthorization: 302, failed: 12, revoked: 2044 },
};
const ready = [
  'analytics-export',
  'audit-log',
  'auth',
  'console',
  'documentation',
  'fhir-store',
  'ingestion-worker',
  'mcp-server',
  'search',
  'user-management',
].map((service) => ({ service, status: 'ready', version: '1.14.0', missing: [] }));
const changed = {
  'fhir-store': { status: 'not ready', missing: ['database', 'key-encryption key'] },
  'ingestion-worker': { status: 'unreachable', version: undefined },
  'mcp-server': { version: '1.13.2' },
  search: { status: 'stopping' },
};
export const unreadyServices = ready.map((state) => ({ ...state, ...changed[state.service] }));

/** What the API answers unless a state says otherwise, by method and path without its query. */
export const operatorAnswers = {
  account: { ...account, is_operator: true },
  'operator/clients': { entry: [...operated, disabledClient], next: 'more' },
  [`operator/clients/${activeClient.client_id}`]: { ...activeClient, organisation },
  [`operator/clients/${activeClient.client_id}/users`]: { users: 1302 },
  [`operator/clients/${disabledClient.client_id}`]: { ...disabledClient, organisation: cooperative },
  [`operator/clients/${disabledClient.client_id}/users`]: { users: 1 },
  'operator/organisations': { entry: organisations },
  [`operator/organisations/${organisation.id}`]: {
    ...operatedOrganisation,
    member: [
      member(3, account.email, account.name, 'owner'),
      member(6, otherAccount.email, otherAccount.name, 'developer'),
      member(7, disabledAccount.email, disabledAccount.name, 'read_only'),
    ],
  },
  'operator/accounts': { entry: accounts },
  'operator/registrations': { entry: registrations },
  'operator/paused-hosts': { entry: pausedHosts },
  'operator/outcomes': outcomes,
  'operator/sources': { entry: sources },
  'POST operator/registration-checks': failedTest,
  'operator/queue': queue,
  'operator/services': { entry: ready },
};
/** Of a service that nobody uses yet. */
export const emptyLists = Object.fromEntries(
  ['clients', 'organisations', 'accounts', 'registrations', 'paused-hosts', 'outcomes', 'sources'].map((name) => [
    `operator/${name}`,
    { entry: [] },
  ]),
);
