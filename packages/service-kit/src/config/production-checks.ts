import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { linesOf } from '@tributary/contracts';
import { urlsOf } from '../databases/redis-address';
import { ServiceKeys, isSecret } from './secrets';

/** A configuration before it is used. */
export interface CheckedConfig {
  /** The variables that the process knows. */
  known: readonly string[];
  /** The values of those that are set and valid, as the process uses them. */
  values: Readonly<Record<string, unknown>>;
  environment: NodeJS.ProcessEnv;
}

/** What is wrong with a variable, and what to set instead; never its value. */
export interface ConfigProblem {
  name: string;
  problem: string;
}

/** Of passwords and of secrets, in characters. */
const minPassword = 16;
const minSecret = 32;
/** A random password of 16 characters has fewer different ones with a probability below one in a billion. */
const minDifferent = 6;
const commonWords =
  /^(?:tributary|postgres(?:ql)?|redis|sandbox|health|system|default|admin|root|user|test|change|me|pass|word|secret|key|service|welcome|qwerty|abc|example|letmein)+$/;

/** Everything that is sent or received unencrypted, or to and from peers that are not verified. */
export function transportProblems({ known, values, environment }: CheckedConfig): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string') continue;
    if (/^http:/i.test(value)) problems.push({ name, problem: 'is not encrypted: set an https:// URL' });
    if (/^redis:/i.test(value)) problems.push({ name, problem: 'is not encrypted: set a rediss:// URL' });
    if (isPostgresUrl(value) && values['DATABASE_CA_FILE'] === undefined && !isVerified(value))
      problems.push({
        name,
        problem: 'connects without verified TLS: set DATABASE_CA_FILE, or sslmode=verify-full in the URL',
      });
  }
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    problems.push({ name: 'NODE_TLS_REJECT_UNAUTHORIZED', problem: 'lets Node accept any certificate: remove it' });
  if (known.includes('INTERNAL_PORT'))
    for (const name of ['TLS_CERTIFICATE_FILE', 'TLS_KEY_FILE', 'TLS_CA_FILE'])
      if (!environment[name]) problems.push({ name, problem: 'is not set: the service would serve plain HTTP' });
  return problems;
}

/** Secrets that are absent, can be guessed, or are used for two purposes, and files that anyone may change. */
export function secretProblems(config: CheckedConfig): ConfigProblem[] {
  const { known, values, environment } = config;
  const problems = known.flatMap((name) => [name, `${name}_FILE`]).flatMap((name) => fileProblems(name, environment));
  if (known.includes('KEY_ENCRYPTION_KEY_FILE') && values['KEY_PROVIDER'] === 'file')
    if (!environment['KEY_ENCRYPTION_KEY_FILE'])
      problems.push({ name: 'KEY_ENCRYPTION_KEY_FILE', problem: 'is not set, and KEY_PROVIDER names no key service' });
  if (known.includes('AUDIT_SEALING_KEY') && values['AUDIT_SEALING_KEY'] === undefined)
    problems.push({ name: 'AUDIT_SEALING_KEY', problem: 'is not set: no audit log would be kept' });
  for (const [name, value] of Object.entries(values)) {
    const problem = typeof value === 'string' ? passwordProblem(name, value, config) : undefined;
    if (problem !== undefined) problems.push({ name, problem });
  }
  for (const { name, value } of secretsIn(values)) {
    // The provider of a mail server chooses its password; an object storage chooses the ID of an access key.
    if (/^smtps?:/.test(value) || name.endsWith('_ACCESS_KEY_ID')) continue;
    const minLength = name.endsWith('_PASSWORD') ? minPassword : minSecret;
    const problem = weakness(value, minLength);
    if (problem !== undefined)
      problems.push({
        name,
        problem: `has a value that ${problem}: set a random one of at least ${minLength} characters`,
      });
  }
  return [...problems, ...sharedSecrets(config)];
}

/** A secret that is used for two purposes leaks with either, and its loss cannot be repaired for one of them alone. */
function sharedSecrets({ values, environment }: CheckedConfig): ConfigProblem[] {
  const purposes = new Map<string, string>();
  const problems: ConfigProblem[] = [];
  const secrets = [
    ...secretsIn(values),
    ...Object.entries(values).flatMap(([name, value]) => passwordIn(name, value)),
    ...keyFileLines(environment['KEY_ENCRYPTION_KEY_FILE']),
  ];
  for (const { name, value, purpose } of secrets) {
    const other = purposes.get(value);
    if (other === undefined) purposes.set(value, purpose);
    else if (other !== purpose)
      problems.push({ name, problem: `has the same value as ${other}: set a value of its own` });
  }
  return problems;
}

const passwordOfDatabase = 'the password of the database';

interface NamedSecret {
  name: string;
  value: string;
  /** What it is for; the URLs of one database share their password. */
  purpose: string;
}

function secretsIn(values: CheckedConfig['values']): NamedSecret[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value instanceof ServiceKeys)
      return value
        .entries()
        .flatMap(([service, keys]) => keys.map((key) => ({ name, value: key, purpose: `the key of ${service}` })));
    if (!isSecret(value)) return [];
    const purpose = name === 'DATABASE_PASSWORD' ? passwordOfDatabase : name;
    return value.accepted.map((one) => ({ name, value: one, purpose }));
  });
}

/** The lines of a file of keys; none while it cannot be read, which is a problem of its own. */
function keyFileLines(path: string | undefined): NamedSecret[] {
  if (!path) return [];
  const name = 'KEY_ENCRYPTION_KEY_FILE';
  try {
    return linesOf(readFileSync(path, 'utf8')).map((value) => ({ name, value, purpose: name }));
  } catch {
    return [];
  }
}

function passwordIn(name: string, value: unknown): NamedSecret[] {
  const url = typeof value === 'string' ? serverUrl(value) : undefined;
  if (!url?.password) return [];
  const purpose = isPostgresUrl(url.href) ? passwordOfDatabase : `the password in ${name}`;
  return [{ name, value: decoded(url.password), purpose }];
}

function passwordProblem(name: string, value: string, { known, values }: CheckedConfig): string | undefined {
  const url = serverUrl(value);
  if (!url) return undefined;
  // All URLs of one kind share a password, unless one has a variable of its own, as SUPERUSER_URL has.
  const ofUrl = name.replace(/_URL$/, '_PASSWORD');
  const ofKind = isPostgresUrl(value) ? 'DATABASE_PASSWORD' : 'REDIS_PASSWORD';
  const own = known.includes(ofUrl) ? ofUrl : ofKind;
  if (isSecret(values[own])) return undefined;
  if (url.password === '') return `has no password: set ${own} to a random one of at least ${minPassword} characters`;
  const password = decoded(url.password);
  const isName = [decoded(url.username), url.hostname, url.pathname.slice(1)].includes(password);
  const problem = isName ? 'is a name in the URL' : weakness(password, minPassword);
  return problem && `has a password that ${problem}: set a random one of at least ${minPassword} characters`;
}

/** What makes a secret weak; undefined when nothing does. It completes a sentence about the secret. */
export function weakness(value: string, minLength: number): string | undefined {
  if (value.length < minLength) return `is shorter than ${minLength} characters`;
  if (commonWords.test(value.toLowerCase().replaceAll(/[^a-z]/g, ''))) return 'is made of common words';
  if (new Set(value).size < minDifferent) return `has fewer than ${minDifferent} different characters`;
  return undefined;
}

/** A URL of PostgreSQL or Redis; of several servers of Redis, that of the first one. */
function serverUrl(value: string): URL | undefined {
  if (isPostgresUrl(value)) return parsedUrl(value);
  return /^rediss?:/i.test(value) ? urlsOf(value).map(parsedUrl)[0] : undefined;
}

function parsedUrl(value: string): URL | undefined {
  return URL.canParse(value) ? new URL(value) : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isPostgresUrl(value: string): boolean {
  return /^postgres(?:ql)?:/i.test(value);
}

function isVerified(url: string): boolean {
  return parsedUrl(url)?.searchParams.get('sslmode') === 'verify-full';
}

/** The sealing key of the audit log is a public key. */
function isSecretFile(name: string): boolean {
  return (
    name !== 'AUDIT_SEALING_KEY_FILE' &&
    /(?:KEYS?|PASSWORD|SECRET|TOKEN|DATABASE_URL|REDIS_URL|SMTP_URL)_FILE$/.test(name)
  );
}

/** Problems of a file that a variable names. */
function fileProblems(name: string, environment: NodeJS.ProcessEnv): ConfigProblem[] {
  const path = environment[name];
  if (!name.endsWith('_FILE') || !path) return [];
  try {
    accessSync(path, constants.R_OK);
    const { mode } = statSync(path);
    if ((mode & 0o002) !== 0) return [{ name, problem: 'names a file that everybody may change: run chmod o-w on it' }];
    if (isSecretFile(name) && (mode & 0o004) !== 0)
      return [{ name, problem: 'names a file that everybody may read: run chmod o-r on it' }];
    return [];
  } catch {
    return [{ name, problem: 'names a file that cannot be read' }];
  }
}
