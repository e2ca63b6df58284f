import type { Response } from 'express';
import type { Scenario } from '../scenarios/scenario';
import { pageSecurityPolicy, style } from './page-style';
import { describeScope } from './scopes';

interface SignInPage {
  transaction: string;
  action: string;
  clientName: string;
  /** What is said about each person of the list, by username. */
  people: Map<string, string>;
  /** Those of everybody. */
  usernames: string[];
  password: string;
  /** The scenarios that are offered: all, or those that fit the search. */
  scenarios: Scenario[];
  search: string;
  username: string;
  /** The name of the scenario that is chosen already, or nothing. */
  scenario: string;
  error?: string;
}

/** The sign-in page. It lists the people who can sign in, as none of them is real. */
export function signInPage(page: SignInPage): string {
  const { people, usernames, username } = page;
  // After a search, the browser shows what was found.
  const focused = page.search === '' ? (username === '' ? 'username' : 'password') : undefined;
  const autofocus = (field: string): string => (field === focused ? ' autofocus' : '');
  return documentOf(
    'Sign in',
    `<h1>Sign in to your health record</h1>
<p><bdi>${escaped(page.clientName)}</bdi> asks to read it. After the sign-in you see what it asks for.</p>
<p class="notice">Sandbox Health: nobody here is real. Never enter a real password.</p>
${page.error ? `<p class="notice bad" role="alert">${escaped(page.error)}</p>` : ''}
<form id="search" action="${escaped(page.action)}#scenarios">
<input type="hidden" name="transaction" value="${escaped(page.transaction)}">
<input type="hidden" name="username" value="${escaped(username)}">
</form>
<form class="card" method="post" action="${escaped(page.action)}">
<input type="hidden" name="transaction" value="${escaped(page.transaction)}">
<p class="field"><label for="username">Username</label>
<input id="username" name="username" list="usernames" autocomplete="off" autocapitalize="none" spellcheck="false" required${autofocus('username')} value="${escaped(username)}"></p>
<datalist id="usernames">${usernames.map((name) => `<option value="${escaped(name)}"></option>`).join('')}</datalist>
<p class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required${autofocus('password')}></p>
${scenarioChoice(page)}
<p class="actions"><button class="primary">Sign in</button></p>
</form>
<h2>People who can sign in</h2>
<p>All have the password “${escaped(page.password)}”. The numbers are those of the newest release.</p>
<ul class="card people">${[...people].map(personEntry).join('')}</ul>
${usernames.length > people.size ? `<p>and ${usernames.length - people.size} more</p>` : ''}
<p>Also <code>person-7</code> (any number), <code>brief-7</code> (a short record) and <code>load-5000</code> (a record of 5000 resources, or of another number).</p>`,
  );
}

function personEntry([username, sentence]: [string, string]): string {
  return `<li><strong>${escaped(username)}</strong><br>${escaped(sentence)}</li>`;
}

/** The choice of a scenario by area, and the search, whose fields belong to a form of their own. */
function scenarioChoice({ scenarios, search, scenario: chosen }: SignInPage): string {
  const areas = [...new Set(scenarios.map(({ area }) => area))].map((area) => {
    const ofArea = scenarios.filter((scenario) => scenario.area === area);
    const isOpen = search !== '' || ofArea.some(({ name }) => name === chosen);
    return `<details${isOpen ? ' open' : ''}><summary>${escaped(area)} (${ofArea.length})</summary><fieldset aria-label="${escaped(area)}">${ofArea.map((scenario) => choiceOf(scenario, chosen)).join('')}</fieldset></details>`;
  });
  const found = scenarios.length === 0 ? 'Nothing fits. Try other words.' : `${scenarios.length} found.`;
  return `<details id="scenarios"${search !== '' || chosen !== '' ? ' open' : ''}><summary>Misbehaviour, for tests</summary>
<label for="find">What do you want to see?</label>
<div class="beside"><input id="find" name="find" type="search" form="search" aria-describedby="hint" value="${escaped(search)}"><button form="search">Search</button></div>
<p id="hint" class="muted">Such as “token expires” or “type refused”. What begins before the sign-in needs an address of its own.</p>
${search === '' ? '' : `<p role="status">${found}</p>`}
${choiceOf({ name: '', description: 'Behaves by the standards.' }, chosen)}
${areas.join('')}</details>`;
}

function choiceOf({ name, description }: Pick<Scenario, 'name' | 'description'>, chosen: string): string {
  return `<label class="choice"><input type="radio" name="scenario" value="${escaped(name)}"${name === chosen ? ' checked' : ''}><strong>${escaped(name || 'none')}</strong> <span class="muted">${escaped(description)}</span></label>`;
}

interface ConsentPage {
  transaction: string;
  action: string;
  clientName: string;
  username: string;
  scopes: string[];
  /** How long the access lasts; undefined: without an end. */
  accessSeconds: number | undefined;
}

/** The consent page. */
export function consentPage(page: ConsentPage): string {
  const meanings = new Set(page.scopes.flatMap((scope) => describeScope(scope) ?? []));
  return documentOf(
    'Allow access',
    `<h1><bdi>${escaped(page.clientName)}</bdi> asks for your health record</h1>
<p>You are signed in as <strong>${escaped(page.username)}</strong>.</p>
<div class="card"><p>If you allow it, <bdi>${escaped(page.clientName)}</bdi> will be able to:</p>
<ul>${[...meanings].map((meaning) => `<li>${escaped(meaning)}</li>`).join('')}</ul>
<p>${accessTime(page.accessSeconds)}</p></div>
<form class="actions" method="post" action="${escaped(page.action)}">
<input type="hidden" name="transaction" value="${escaped(page.transaction)}">
<button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Refuse</button>
</form>`,
  );
}

function accessTime(seconds: number | undefined): string {
  if (seconds === undefined)
    return '<strong>The access has no end date.</strong> It includes new entries, also while you are not using the app, until the access is withdrawn.';
  const [unit, size] = seconds % 3600 === 0 ? ['hour', 3600] : seconds % 60 === 0 ? ['minute', 60] : ['second', 1];
  const format = new Intl.NumberFormat('en', { style: 'unit', unit: String(unit), unitDisplay: 'long' });
  return `<strong>The access ends after ${format.format(seconds / Number(size))}.</strong> After that, the app has to ask you again.`;
}

/** The error page. */
export function problemPage(message: string): string {
  return documentOf(
    'Sign-in is not possible',
    `<h1>Sign-in is not possible</h1><p class="notice bad" role="alert">${escaped(message)}</p>`,
  );
}

/** A page of the sandbox. @param body HTML */
export function documentOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – Sandbox Health</title><style>${style}</style></head>
<body><main>${body}</main></body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function sendPage(response: Response, status: number, html: string): void {
  response
    .status(status)
    .set({
      'Content-Security-Policy': pageSecurityPolicy,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    .type('html')
    .send(html);
}
