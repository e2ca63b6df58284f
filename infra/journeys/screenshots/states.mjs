// Every state of the pages that browsers see, as data for the renderers of the services.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { repository } from '../../local/bootstrap.mjs';

const require = createRequire(import.meta.url);
const builtIn = (service, path) => require(join(repository, 'services', service, 'dist', path));

const path = '/connect/pages/a';
const square = (colour, text) =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="${colour}"/><text x="20" y="28" font-size="22" font-family="sans-serif" text-anchor="middle" fill="#fff">${text}</text></svg>`).toString('base64')}`;
const backUrl = 'https://app.example/back';
const requestId = '018f2c3e-7d5a-7c3b-9b1e-5a4c3d2e1f00';

const cherryBasin = { id: 1, name: 'Cherry Basin Hospital', address: '12 Basin Road, Washington, DC 20001' };
const longName = {
  id: 2,
  name: 'The Regents of the University Hospitals and Community Clinics of Northern Cherry County, Inc.',
  address: '1000 Northwest Doctor Alexander Hamilton Memorial Boulevard, Suite 1200, Cherry Basin Township, DC 20001',
};
const search = (more) => ({
  name: 'search',
  path,
  query: '',
  offset: 0,
  total: 0,
  limit: 20,
  systems: [],
  hasPlaces: false,
  ...more,
});
const results = [
  { ...cherryBasin, isConnectable: true, logo: square('#9d174d', 'C') },
  { ...longName, isConnectable: true },
  { id: 3, name: 'Cherry Creek Pediatrics', address: 'Denver, CO 80201', isConnectable: false },
  { id: 4, name: 'مستشفى الكرز', address: '', isConnectable: true },
];

const review = (more) => ({ name: 'review', path, system: cherryBasin, ...more });
const failures = [
  'access_denied',
  'no_patient',
  'other_person',
  'invalid_scope',
  'not_registered',
  'system_unavailable',
  'expired',
  'server_error',
  'user_inactive',
];

const place = (more) => ({
  system: { id: 1, name: cherryBasin.name },
  person: { name: 'Noah Okafor', birthDate: '2016-05-02' },
  isOtherPerson: false,
  status: 'up_to_date',
  connectionIds: [requestId],
  typesDone: 14,
  typesTotal: 14,
  collected: 1403,
  types: [
    { type: 'Observation', count: 1312, isDone: true },
    { type: 'Encounter', count: 41, isDone: true },
    { type: 'DocumentReference', count: 18, isDone: true },
    { type: 'Condition', count: 12, isDone: true },
    { type: 'MedicationRequest', count: 20, isDone: true },
  ],
  missing: [],
  lastCollectedAt: '2026-01-01T09:05:00.000Z',
  ...more,
});
const places = (...all) => ({ name: 'places', path, places: all, arrived: [], made: [] });
/** Counts of a type in the years up to 2026, and of those without a date. */
const arrived = (type, counts, undated = 0) => [
  ...counts.map((count, index) => ({ type, year: 2026 - index, count })),
  ...(undated > 0 ? [{ type, count: undated }] : []),
];
const withCounts = {
  ...places(place()),
  arrived: [
    ...arrived('Observation', [312, 298, 221, 7, 140, 334]),
    ...arrived('Encounter', [6, 9, 26]),
    ...arrived('MedicationRequest', [12], 8),
    ...arrived('Condition', [4, 6], 2),
    ...arrived('DocumentReference', [18]),
    ...arrived('ExplanationOfBenefit', [1204, 10_311]),
    ...arrived('Patient', [], 1),
    ...arrived('Practitioner', [], 31),
  ],
};
const partly = places(
  place({
    status: 'partly',
    missing: [
      { type: 'Coverage', reason: 'refused' },
      { type: 'DocumentReference', reason: 'failed' },
      { type: 'Observation', reason: 'partial' },
    ],
  }),
);
const pageErrors = [
  'broken_link',
  'unknown_address',
  'unknown_app',
  'sign_in_ended',
  'read_only',
  'page_ended',
  'unknown_system',
  'unknown_connection',
  'foreign_form',
  'too_many_requests',
  'unavailable',
  'internal_error',
];

/** Errors by which the application is not known. */
const ofUnknownApp = new Set(['unknown_app', 'unknown_address', 'invalid_client']);

const screens = {
  search: {
    empty: search({ total: 1, systems: results.slice(0, 1) }),
    results: search({ query: 'cherry', total: 45, offset: 20, systems: results, hasPlaces: true }),
    'nothing found': search({ query: 'qqqq' }),
    nearby: search({
      total: 45,
      systems: results.map((system, index) => ({ ...system, distanceKm: [7, 31, 2390][index] })),
    }),
    'location refused': search({ total: 1, systems: results.slice(0, 1) }),
  },
  review: {
    plain: review(),
    'a long name': review({ system: longName }),
    'limited types and days': review({ types: ['Condition', 'Observation', 'Coverage'], consentDays: 365 }),
    once: review({ types: ['Immunization'], consentDays: 0 }),
    'in a frame': review({ window: { ticket: 'a', made: 0 } }),
    ...Object.fromEntries(failures.map((error) => [error, review({ types: ['Condition'], error })])),
  },
  places: {
    none: places(),
    starting: places(
      place({ status: 'collecting', typesDone: 0, typesTotal: 0, collected: 0, types: [], lastCollectedAt: undefined }),
    ),
    collecting: places(
      place({
        status: 'collecting',
        typesDone: 9,
        collected: 353,
        lastCollectedAt: undefined,
        types: [
          { type: 'Observation', count: 312, isDone: false },
          { type: 'Encounter', count: 41, isDone: true },
        ],
        retryAt: '2026-01-01T09:35:00.000Z',
      }),
    ),
    'up to date': places(place({ consentEndsAt: '2027-01-01T00:00:00.000Z' })),
    arrived: withCounts,
    'arrived, opened': withCounts,
    partly,
    'partly, opened': partly,
    'sign in again': places(
      place({ status: 'sign_in_again' }),
      place({ system: longName, status: 'failed', types: [] }),
    ),
    disconnected: places(place({ status: 'disconnected' })),
    'another person': places(
      place({ isOtherPerson: true, person: { name: 'Amelia Hart', birthDate: '1984' } }),
      place({ person: {}, types: [] }),
    ),
  },
  window: { connected: { name: 'window' } },
  errors: Object.fromEntries(
    pageErrors.map((error) => [
      error,
      {
        name: 'error',
        error,
        code: error,
        status: 400,
        requestId,
        ...(ofUnknownApp.has(error) ? {} : { backUrl }),
        ...(error === 'unknown_system' || error === 'unknown_connection' ? { path } : {}),
      },
    ]),
  ),
};

const { jsonOrHtml } = builtIn('user-management', 'connect/pages/error-page.js');
const { renderLinkPage } = builtIn('user-management', 'connect/pages/link-page.js');
const { english } = builtIn('user-management', 'connect/pages/english.js');
const facts = { appName: 'Better Sleep', systemName: cherryBasin.name, appUrl: backUrl };

const sendError = (pageError) => (response) => {
  Object.assign(response.locals, {
    route: '/connect/links/{link}',
    requestId,
    pageFacts: { ...(ofUnknownApp.has(pageError) ? {} : facts), pageError },
  });
  jsonOrHtml({ status: 400, errorCode: 'invalid_request', headers: {} }, response);
};
const sendLink = (accountName) => (response) => {
  const { html, headers } = renderLinkPage(response.req, { ...facts, accountName });
  response.set(headers).type('html').send(html);
};

const { consentPage, problemPage, sendPage, signInPage } = builtIn('sandbox-health-system', 'authorization/pages.js');
const { scenarios } = builtIn('sandbox-health-system', 'scenarios/catalogue.js');
const people = new Map([
  ['small-Ida-Kowalczyk', 'Ida Kowalczyk, 55 years, 61 lab results and vital signs, in DSTU2, STU3 and R4.'],
  ['Noah', 'Noah Okafor, 10 years, 312 lab results and vital signs, 41 visits, 18 documents, in R4.'],
]);
const signIn = (more) =>
  signInPage({
    transaction: 'a',
    action: 'sign-in',
    clientName: 'Tributary',
    people,
    usernames: [...people.keys(), 'Amelia'],
    password: 'sandbox',
    scenarios,
    search: '',
    username: '',
    scenario: '',
    ...more,
  });
const consent = (more) =>
  consentPage({
    transaction: 'a',
    action: 'decision',
    clientName: 'Tributary',
    username: 'small-Ida-Kowalczyk',
    scopes: ['launch/patient', 'openid', 'fhirUser', 'offline_access', 'patient/*.read'],
    accessSeconds: undefined,
    ...more,
  });
const sandboxPages = {
  'sign-in': signIn(),
  'wrong password': signIn({ username: 'Noah', error: 'The username or the password is wrong. Please try again.' }),
  'search for misbehaviour': signIn({ search: 'throttling', scenarios: scenarios.slice(0, 3) }),
  consent: consent(),
  'consent of single types': consent({
    scopes: ['patient/Observation.read', 'patient/Condition.read', 'patient/Immunization.read'],
    accessSeconds: 3600,
  }),
  'no sign-in': problemPage('Please sign in first.'),
};

const { sendAsset } = builtIn('console', 'web-assets.js');
const { assetsPath, sendScreen } = builtIn('console', 'connect-pages/screens/send-screen.js');
const web = await builtIn('console', 'connect-pages/screens/web-application.js').readWebApplication();
/** Where the connect pages load their script and style from. */
export const assets = {
  path: `${assetsPath}/:file`,
  send: (request, response) => sendAsset(request, response, web.files.get(request.params.file)),
};

const { documentationApp } = builtIn('documentation', 'app.js');
const { buildSite } = builtIn('documentation', 'site.js');
const base_url = 'http://localhost';
const urls = { base_url, auth_url: base_url, search_url: base_url, analytics_url: base_url };
/** Serves the documentation, below /docs. */
export const documentation = documentationApp({
  files: await buildSite(urls),
  urls,
  log: { info() {}, error() {} },
});
const documents = { landing: '', guide: '/quick-start', tables: '/errors', diagrams: '/api', 'not found': '/nothing' };

const sendConnectScreen = (screen) => (response) => {
  response.locals.pageFacts = ofUnknownApp.has(screen.error)
    ? {}
    : { appName: 'Better Sleep', appLogo: square('#4338ca', 'B'), path, backUrl };
  sendScreen(
    { web, baseUrl: 'http://localhost' },
    response.req,
    response,
    screen.path ? { ...screen, path: response.req.path } : screen,
  );
};

function mapped(states, convert) {
  return Object.fromEntries(Object.entries(states).map(([name, state]) => [name, convert(state)]));
}

/**
 * By page and name of the state, what sends it as a response of express. The documentation and the sandbox have
 * English only. In states whose name ends with "opened", what the page can unfold is open; in "nearby" the browser has
 * said where the user is, and in "location refused" it has not.
 * @type {Record<string, {languages: string[], states: Record<string, (response: import('express').Response) => void>}>}
 */
export const pages = {
  ...mapped(screens, (states) => ({ languages: ['en', 'es'], states: mapped(states, sendConnectScreen) })),
  documentation: {
    languages: ['en'],
    states: mapped(documents, (name) => (response) => response.redirect(`/docs${name}`)),
  },
  sandbox: {
    languages: ['en'],
    states: mapped(sandboxPages, (html) => (response) => sendPage(response, 200, html)),
  },
  links: {
    languages: ['en', 'es'],
    states: {
      'named account': sendLink('noah@example.org'),
      'unnamed account': sendLink(undefined),
      ...Object.fromEntries(Object.keys(english.errors).map((error) => [error, sendError(error)])),
    },
  },
};
