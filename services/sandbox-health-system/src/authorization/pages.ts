import type { Response } from 'express';
import type { Person } from '../records/person';
import { type Scenario, worksFromSignIn } from '../scenarios/scenario';
import { pageSecurityPolicy, pageStyle } from './page-style';
import { describeScope } from './scopes';

interface SignInPage {
  transaction: string;
  action: string;
  people: Person[];
  password: string;
  scenarios: Scenario[];
  username: string;
  error?: string;
}

/** The sign-in page. It lists the people who can sign in, as none of them is real. */
export function signInPage(page: SignInPage): string {
  const shown = page.people.slice(0, 40);
  return documentOf(
    'Sign in',
    `<h1>Sign in to your health record</h1>
<p class="notice">Sandbox Health: nobody here is real. Never enter a real password.</p>
${page.error ? `<p class="error" role="alert">${escaped(page.error)}</p>` : ''}
<form method="post" action="${escaped(page.action)}">
<input type="hidden" name="transaction" value="${escaped(page.transaction)}">
<label for="username">Username</label>
<input id="username" name="username" list="usernames" autocomplete="off" autocapitalize="none" spellcheck="false" required autofocus value="${escaped(page.username)}">
<datalist id="usernames">${page.people.map((person) => `<option value="${escaped(person.username)}"></option>`).join('')}</datalist>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required>
<label for="scenario">Misbehave in this way (for tests; those that begin before the sign-in need an address of their own)</label>
<select id="scenario" name="scenario"><option value="">Not at all</option>${scenarioOptions(page.scenarios.filter(worksFromSignIn))}</select>
<button>Sign in</button>
</form>
<table><caption>People who can sign in, all with the password “${escaped(page.password)}”</caption>
<thead><tr><th scope="col">Username</th><th scope="col">Records in</th></tr></thead>
<tbody>${shown.map(personRow).join('')}</tbody></table>
${page.people.length > shown.length ? `<p>and ${page.people.length - shown.length} more</p>` : ''}
<p>Also <code>person-7</code> (any number), <code>brief-7</code> (a short record) and <code>load-5000</code> (a record of 5000 resources, or of another number).</p>`,
  );
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
    `<h1>${escaped(page.clientName)} asks for your health record</h1>
<p>You are signed in as <strong>${escaped(page.username)}</strong>. If you allow it, ${escaped(page.clientName)} will be able to:</p>
<ul>${[...meanings].map((meaning) => `<li>${escaped(meaning)}</li>`).join('')}</ul>
<p>${accessTime(page.accessSeconds)}</p>
<form method="post" action="${escaped(page.action)}">
<input type="hidden" name="transaction" value="${escaped(page.transaction)}">
<button name="decision" value="allow">Allow</button>
<button class="quiet" name="decision" value="deny">Refuse</button>
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
    `<h1>Sign-in is not possible</h1><p role="alert">${escaped(message)}</p>`,
  );
}

function personRow(person: Person): string {
  return `<tr><th scope="row">${escaped(person.username)}</th><td>${person.releases.join(', ')}</td></tr>`;
}

/** The scenarios by area, in the order of the first scenario of each. */
function scenarioOptions(scenarios: readonly Scenario[]): string {
  const groups = [...new Set(scenarios.map(({ area }) => area))].map((area) => {
    const options = scenarios.filter((scenario) => scenario.area === area).map(scenarioOption);
    return `<optgroup label="${escaped(area)}">${options.join('')}</optgroup>`;
  });
  return groups.join('');
}

function scenarioOption(scenario: Scenario): string {
  return `<option value="${escaped(scenario.name)}">${escaped(`${scenario.name}: ${scenario.description}`)}</option>`;
}

/** A page of the sandbox. @param body HTML */
export function documentOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – Sandbox Health</title><style>${pageStyle}</style></head>
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
