// The states of the developer console: an address, what its API answers there, and what somebody does on the page.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { repository } from '../../local/bootstrap.mjs';
import {
  account,
  activityOf,
  activityPath,
  clients,
  cooperative,
  disabledEndpoint,
  endpoint,
  events,
  eventsPath,
  exportsPath,
  factors,
  finishedExport,
  ids,
  list,
  noActivity,
  now,
  ofCooperative,
  organisation,
  refused,
  signedOut,
  test,
  userPath,
  usualAnswers,
  webhookPath,
  withPassword,
} from './console-answers.mjs';
import {
  activeClient,
  changedAudit,
  cutOff,
  disabledAccount,
  disabledClient,
  emptyLists,
  firstAudit,
  goingOn,
  manyFindings,
  operatedOrganisation,
  operatorAnswers,
  otherAccount,
  overdueAudit,
  queue,
  retirableKeys,
  rotatedKeys,
  unknownAudit,
  unknownKeys,
  unreadyServices,
  worstOutcomes,
} from './operator-answers.mjs';

const require = createRequire(import.meta.url);
const builtIn = (path) => require(join(repository, 'services/console/dist', path));
const { consolePages } = builtIn('developer-console/web/console-pages.js');
const { readWebAssets } = builtIn('web-assets.js');

const press = (name) => (tab) => tab.getByRole('button', { name }).first().click();
const fill = (label, text) => (tab) => tab.getByLabel(label, { exact: true }).first().fill(text);
const submit = (tab) => tab.locator('form button[type=submit]').last().click();
const inTurn =
  (...acts) =>
  async (tab) => {
    for (const act of acts) await act(tab);
  };

const organisationPath = (page, { id } = organisation) => `/organisations/${id}/${page}`;
const clientPath = (page, client = test) => organisationPath(`clients/${client.client_id}/${page}`);
const code = fill('Six-digit code', '000000');
const wrongCode = refused(400, 'invalid_code', 'the code is wrong, has expired or was used');

const states = {
  'console-sign-in': {
    empty: { path: '/sign-in', answers: signedOut },
    'missing fields': { path: '/sign-in', answers: signedOut, act: submit },
    'wrong password': {
      path: '/sign-in',
      answers: { ...signedOut, 'POST sign-in': refused(401, 'invalid_credentials', 'the password is wrong') },
      act: inTurn(fill('E-mail address', account.email), fill('Password', 'wrong'), submit),
    },
    'too many attempts': {
      path: '/sign-in',
      answers: { ...signedOut, 'POST sign-in': refused(429, 'too_many_requests', 'too many requests') },
      act: inTurn(fill('E-mail address', account.email), fill('Password', 'wrong'), submit),
    },
    'session ended': { path: '/sign-in?ended=', answers: signedOut },
    'second factor': {
      path: '/sign-in/second-factor',
      answers: { account: { ...withPassword, second_factors: account.second_factors } },
    },
    'wrong code': {
      path: '/sign-in/second-factor',
      answers: {
        account: { ...withPassword, second_factors: factors },
        'POST sign-in/totp': wrongCode,
      },
      act: inTurn(code, submit),
    },
    'forgotten password': { path: '/forgot-password', answers: signedOut },
    'new password': { path: '/reset-password#token=a', answers: signedOut },
  },
  'console-sign-up': {
    empty: { path: '/sign-up', answers: signedOut },
    'missing fields': { path: '/sign-up', answers: signedOut, act: submit },
    'mail sent': {
      path: '/sign-up',
      answers: { ...signedOut, 'POST sign-up': { success: true } },
      act: inTurn(
        fill('Name', account.name),
        fill('E-mail address', account.email),
        fill('Password', 'plain violet harbour 81'),
        submit,
      ),
    },
    verify: { path: '/verify-email#token=a', answers: signedOut },
    'link ended': {
      path: '/verify-email#token=a',
      answers: { ...signedOut, 'POST verify-email': refused(410, 'email_link_ended', 'the link was used') },
      act: inTurn(fill('Password', 'plain violet harbour 81'), submit),
    },
    'new second factor': { path: '/sign-in/new-second-factor', answers: { account: withPassword } },
    'first organisation': { path: '/', answers: { account: { ...account, organisations: [] } } },
  },
  'console-applications': {
    none: {
      path: organisationPath('clients'),
      answers: { [`organisations/${organisation.id}/clients`]: { entry: [] } },
    },
    some: { path: organisationPath('clients') },
    'read only': { path: organisationPath('clients', cooperative) },
    new: { path: organisationPath('clients/new') },
    created: {
      path: organisationPath('clients/new'),
      act: inTurn(fill('Name', 'Sleep diary'), fill('Redirect URIs', 'https://x.example/'), submit),
    },
    settings: { path: clientPath('settings') },
    'settings, read only': { path: organisationPath(`clients/${ofCooperative.client_id}/settings`, cooperative) },
    'being deleted': { path: clientPath('settings', clients[2]) },
    'new secret': {
      path: clientPath('settings'),
      act: inTurn(press('Rotate the secret…'), (tab) =>
        tab.getByRole('button', { name: 'Rotate', exact: true }).click(),
      ),
    },
    delete: { path: clientPath('settings'), act: press('Delete…') },
  },
  'console-users': {
    none: { path: clientPath('users'), answers: { [userPath]: list([]) } },
    some: { path: clientPath('users') },
    'nobody found': { path: clientPath('users?app_user_id=nobody'), answers: { [userPath]: list([]) } },
    user: { path: clientPath('users?user=9000') },
    broken: {
      path: clientPath('users'),
      answers: { [userPath]: refused(400, 'invalid_request', 'offset: too large') },
    },
  },
  'console-overview': {
    nothing: { path: clientPath('overview'), answers: { [activityPath]: activityOf(() => noActivity) } },
    busy: { path: clientPath('overview') },
    tables: {
      path: clientPath('overview'),
      act: async (tab) => {
        for (const summary of await tab.getByText('As a table').all()) await summary.click();
      },
    },
  },
  'console-exports': {
    none: { path: clientPath('exports'), answers: { [exportsPath]: list([]) } },
    some: { path: clientPath('exports') },
    new: { path: clientPath('exports?new') },
    finished: { path: clientPath(`exports?export=${finishedExport.export_id}`) },
    failed: { path: clientPath(`exports?export=${ids[22]}`) },
    'read only': { path: organisationPath(`clients/${ofCooperative.client_id}/exports`, cooperative) },
  },
  'console-usage': {
    some: { path: clientPath('usage') },
    limit: { path: clientPath('usage?limit=export') },
  },
  'console-audit': {
    some: { path: clientPath('audit') },
    none: { path: clientPath('audit'), answers: { [eventsPath]: events([]) } },
    event: { path: clientPath('audit'), act: (tab) => tab.locator('.row-open').nth(2).click() },
  },
  'console-explorer': {
    list: { path: clientPath('explorer') },
    operation: { path: clientPath('explorer'), act: (tab) => tab.getByText('List users, or find one').click() },
  },
  'console-webhooks': {
    none: { path: clientPath('webhooks'), answers: { [webhookPath]: list([]) } },
    some: { path: clientPath('webhooks') },
    new: { path: clientPath('webhooks?new') },
    endpoint: { path: clientPath(`webhooks?endpoint=${endpoint.endpoint_id}`), act: press('Send a test event') },
    disabled: { path: clientPath(`webhooks?endpoint=${disabledEndpoint.endpoint_id}`) },
  },
  'console-organisation': {
    members: { path: organisationPath('members') },
    invite: { path: organisationPath('members'), act: press('Invite') },
    member: { path: organisationPath(`members?member=${ids[5]}`) },
    'members, read only': { path: organisationPath('members', cooperative) },
    settings: { path: organisationPath('settings') },
    leave: { path: organisationPath('settings', cooperative), act: press('Leave…') },
    'unknown page': { path: '/nothing' },
  },
  'console-account': {
    settings: { path: '/account' },
    'new recovery codes': { path: '/account', act: press('Replace… the recovery codes') },
  },
};

const auditAway = refused(503, 'temporarily_unavailable', 'another service is not available: try again');

const operatorStates = {
  'console-operator-applications': {
    some: { path: '/operator/clients' },
    none: { path: '/operator/clients', answers: emptyLists },
    'nothing found': { path: '/operator/clients?text=nobody&mode=live', answers: emptyLists },
    application: { path: `/operator/clients?open=${activeClient.client_id}` },
    'disabled application': { path: `/operator/clients?open=${disabledClient.client_id}` },
    disable: { path: `/operator/clients?open=${activeClient.client_id}`, act: press('Disable…') },
    organisations: { path: '/operator/clients/organisations' },
    organisation: { path: `/operator/clients/organisations?open=${operatedOrganisation.id}` },
    accounts: { path: '/operator/clients/accounts' },
    account: { path: `/operator/clients/accounts?open=${otherAccount.id}` },
    'disabled account': { path: `/operator/clients/accounts?open=${disabledAccount.id}` },
  },
  'console-operator-systems': {
    some: { path: '/operator/systems' },
    none: { path: '/operator/systems', answers: emptyLists },
    'failed test': { path: '/operator/systems', act: inTurn(fill('Health system', '21'), press('Test')) },
    pause: { path: '/operator/systems', act: press('Pause a host…') },
    'outcomes of one': { path: `/operator/systems?system=${worstOutcomes.health_system_id}` },
  },
  'console-operator-queue': {
    busy: { path: '/operator/queue' },
    'nothing to do': {
      path: '/operator/queue',
      answers: {
        'operator/queue': {
          jobs: { waiting: 0, active: 0, delayed: 0, failed: 0, oldest_waiting_at: null },
          hosts: [],
          connections: {},
        },
      },
    },
    'Redis not available': { path: '/operator/queue', answers: { 'operator/queue': { ...queue, jobs: null } } },
  },
  'console-operator-services': {
    ready: { path: '/operator/services' },
    'not ready': { path: '/operator/services', answers: { 'operator/services': { entry: unreadyServices } } },
  },
  'console-operator-keys': {
    some: { path: '/operator/keys' },
    rotation: { path: '/operator/keys', answers: { 'operator/keys': rotatedKeys } },
    'not known': { path: '/operator/keys', answers: { 'operator/keys': unknownKeys } },
    'of key services': {
      path: '/operator/keys',
      answers: { 'operator/keys': retirableKeys },
      act: (tab) =>
        tab
          .getByText(/give up/)
          .first()
          .click(),
    },
  },
  'console-operator-audit': {
    unchanged: { path: '/operator/audit', act: press('Verify now') },
    overdue: { path: '/operator/audit', answers: { 'operator/audit': overdueAudit } },
    changed: { path: '/operator/audit', answers: { 'operator/audit': changedAudit } },
    'not known': { path: '/operator/audit', answers: { 'operator/audit': unknownAudit } },
    'first one': { path: '/operator/audit', answers: { 'operator/audit': firstAudit } },
    verifying: {
      path: '/operator/audit',
      answers: { 'POST operator/audit/verifications': goingOn },
      act: press('Verify now'),
    },
    'many findings': {
      path: '/operator/audit',
      answers: { 'POST operator/audit/verifications': manyFindings },
      act: press('Verify now'),
    },
    'cut off': {
      path: '/operator/audit',
      answers: { 'POST operator/audit/verifications': cutOff },
      act: press('Verify now'),
    },
    stopped: {
      path: '/operator/audit',
      answers: { 'POST operator/audit/verifications': goingOn },
      act: inTurn(press('Verify now'), press('Stop')),
    },
    'audit-log away': {
      path: '/operator/audit',
      answers: { 'operator/audit': auditAway, 'POST operator/audit/verifications': auditAway },
      act: inTurn(press('Verify now'), (tab) => tab.getByText(/audit-log was asked/).waitFor()),
    },
  },
};

/**
 * By page and name of the state.
 * @type {Record<string, {languages: string[], states: Record<string, {path: string, answers?: object,
 *   act?: (tab: import('playwright-core').Page) => Promise<void>}>}>}
 */
export const consoleStates = Object.fromEntries(
  Object.entries({ ...states, ...operatorStates }).map(([page, all]) => [page, { languages: ['en'], states: all }]),
);

/** Serves the document and the assets of the console, below /console. */
export const serveConsole = consolePages({
  web: readWebAssets('developer-console'),
  urls: Object.fromEntries(
    ['base', 'auth', 'search', 'analytics'].map((name) => [`${name}_url`, `https://${name}.tributary.example`]),
  ),
  mailUrl: 'http://localhost:4005',
  log: { info() {}, error() {} },
});

/** Runs in the page: an answer of a route has an end, and this one has none. */
function answerWithoutEnd({ path, openBody }) {
  const usual = globalThis.fetch;
  globalThis.fetch = (address, options) => {
    if (!String(address).endsWith(path)) return usual(address, options);
    const start = (controller) => controller.enqueue(new TextEncoder().encode(openBody));
    return Promise.resolve(new Response(new ReadableStream({ start })));
  };
}

/** Opens a state. @param {import('playwright-core').Page} tab @param {string} origin */
export async function openConsoleState(tab, origin, { path, answers = {}, act }) {
  const all = { ...usualAnswers, ...(path.startsWith('/operator/') ? operatorAnswers : {}), ...answers };
  await tab.setViewportSize({ ...tab.viewportSize(), height: 600 });
  await tab.clock.setFixedTime(now);
  await tab.unrouteAll();
  await tab.route(`${origin}/console/api/v1/**`, async (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const method = route.request().method();
    const called = decodeURIComponent(pathname.replace('/console/api/v1/', ''));
    const name = method === 'GET' ? called : `${method} ${called}`;
    const answer = all[name] ?? refused(404, 'not_found', `no answer to ${name}`);
    const given = typeof answer === 'function' ? answer(Object.fromEntries(searchParams)) : answer;
    await route.fulfill('json' in given || 'body' in given ? given : { json: given });
  });
  // Another fragment alone would not load the page.
  await tab.goto('about:blank');
  await tab.goto(`${origin}/console${path}`);
  await tab.locator('h1').first().waitFor();
  await tab.waitForLoadState('networkidle');
  for (const [name, { openBody }] of Object.entries(answers))
    if (openBody !== undefined) await tab.evaluate(answerWithoutEnd, { path: name.split(' ')[1], openBody });
  await act?.(tab);
  await tab.waitForLoadState('networkidle');
  await tab.mouse.move(0, 0);
  // The sidebar and the panels are as high as the window, and scroll.
  const heights = await tab.evaluate(
    `[...document.querySelectorAll('html, [role=dialog]')].map((scrolled) => scrolled.scrollHeight)`,
  );
  await tab.setViewportSize({ ...tab.viewportSize(), height: Math.min(Math.max(...heights), 2400) });
}
