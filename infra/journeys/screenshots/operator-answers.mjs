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
/** An answer in lines of JSON. */
const ndjson = (lines) => ({
  contentType: 'application/x-ndjson',
  body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
});
const failedTest = ndjson(
  [
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
  ].map((step) => ({ ...endpoint, ...step })),
);
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

const version = (id, state, keys, origin, more = {}) => ({ id, state, keys, origin, ...more });
const keysOf = (...versions) => ({ versions, unknown: [], not_noted: 0, counted_at: lately });
const ofFile = (number) => `key ${number} of the key file`;
const statuses = {
  'user-management': keysOf(version('2c1a88e03bd4e7ea', 'current', 31_204, ofFile(1))),
  'fhir-store': keysOf(
    version('9a4177d1c2aa9f10', 'retired', 0, ofFile(1)),
    version('0f3d8c21b7a64e59', 'current', 10_402_177, ofFile(2)),
  ),
  'ingestion-worker': keysOf(),
  console: keysOf(version('61b8a3f04c7d2e95', 'current', 1, ofFile(1))),
};
/** The status of each service, which has a problem in place of it where `changed` says so. */
const keysList = (changed = {}) => ({
  entry: Object.entries({ ...statuses, ...changed }).map(([service, status]) =>
    typeof status === 'string' ? { service, problem: status } : { service, status },
  ),
});
export const rotatedKeys = keysList({
  'fhir-store': {
    ...keysOf(
      version('9a4177d1c2aa9f10', 'accepted', 7_204_113, ofFile(1)),
      version('0f3d8c21b7a64e59', 'current', 3_198_064, ofFile(2)),
    ),
    unknown: [{ id: '7be21c90d3f845a6', keys: 12 }],
    not_noted: 31,
  },
  console: keysOf(
    version('61b8a3f04c7d2e95', 'current', 1, ofFile(1)),
    version('aa104e59b7a60f3d', 'waiting', 0, ofFile(2), { used_in_seconds: 41.3 }),
  ),
});
export const unknownKeys = keysList({ 'fhir-store': 'failed', 'ingestion-worker': 'unreachable' });
const inKms = (number) =>
  `wrapped by aws-kms, key arn:aws:kms:eu-central-1:111122223333:key/${ids[20]}, version ${number}`;
const inVault =
  'wrapped by azure-key-vault, key https://tributary-records-production.vault.azure.net/keys/tributary-records, version 78deebed173b48e48f55abf87ed4cf71';
export const retirableKeys = keysList({
  'user-management': keysOf(version('2c1a88e03bd4e7ea', 'current', 31_204, inVault)),
  'fhir-store': keysOf(
    version('9a4177d1c2aa9f10', 'accepted', 0, ofFile(1)),
    version('7be21c90d3f845a6', 'accepted', 0, inKms(1)),
    version('0f3d8c21b7a64e59', 'current', 10_402_177, inKms(2)),
  ),
});

const verified = { streams: 41, blocks: 18_204, events: 1_204_551, checkpoints: 2880, findings: 0 };
const verification = {
  verified_at: '2026-11-30T03:12:00Z',
  counts: verified,
  is_running: false,
  due_at: '2026-12-01T03:12:00Z',
  is_overdue: false,
};
const auditOf = (changed) => ({
  verification: { ...verification, ...changed },
  checkpoints: Array.from({ length: 4 }, (_, index) => ({
    number: 40_312 - index,
    at: new Date(Date.parse(lately) - index * 60_000).toISOString(),
    streams: 41,
    hash: `${index}4c7d2e95aa1061b8a3f0`.padEnd(64, '0f3d8c21b7a64e59'),
    key: '8d1f02ac99e37b54',
  })),
  streams: ['fhir-store', 'ingestion-worker', 'user-management'].map((service, index) => ({
    stream: ids[25 + index],
    service,
    role: service.replace('-', '_'),
    instance: `tributary-${service}-7d9c5b8f6-x2kq${index}:1`,
    started: earlier,
    blocks: [12_031, 204, 0][index],
    last: index === 2 ? null : lately,
  })),
});
export const overdueAudit = auditOf({ verified_at: '2026-11-27T03:12:00Z', due_at: null, is_overdue: true });
export const changedAudit = auditOf({ counts: { ...verified, findings: 3 } });
export const unknownAudit = auditOf({ counts: null });
export const firstAudit = {
  verification: { verified_at: null, counts: null, is_running: true, due_at: null, is_overdue: false },
  checkpoints: [],
  streams: [],
};
const changedBlock = (block) => ({ line: 'finding', problem: 'block changed', stream: ids[25], block, at: earlier });
const findings = [
  { line: 'finding', problem: 'schema changed', object: 'constraint block_is_well_formed of block_2026_11' },
  changedBlock(204),
  { line: 'finding', problem: 'anchored checkpoint changed', checkpoint: 40_012 },
  { line: 'finding', problem: 'retirement not proven', partition: 'block_2025_11', at: '2025-12-01T00:00:00Z' },
];
export const cutOff = ndjson([...findings, { line: 'progress', ...verified, blocks: 9120, findings: findings.length }]);
/** What was received of an answer that goes on. */
export const goingOn = { ...cutOff, openBody: cutOff.body };
export const manyFindings = ndjson([
  ...Array.from({ length: 100 }, (_, block) => changedBlock(block)),
  { line: 'result', ...verified, findings: 1312 },
]);
const noFindings = ndjson([{ line: 'result', ...verified }]);

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
  'operator/keys': keysList(),
  'operator/audit': auditOf({}),
  'POST operator/audit/verifications': noFindings,
};
/** Of a service that nobody uses yet. */
export const emptyLists = Object.fromEntries(
  ['clients', 'organisations', 'accounts', 'registrations', 'paused-hosts', 'outcomes', 'sources'].map((name) => [
    `operator/${name}`,
    { entry: [] },
  ]),
);
