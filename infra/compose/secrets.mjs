// Runs once, as root, before the databases and the services start: makes the secrets that do not exist yet, and writes
// the secrets and the certificates of each container into a folder that this container alone can read. It may be
// stopped at any time and run again. Without SANDBOX_MODE=true it refuses settings and certificates that are missing.
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { services } from '@tributary/postgres';
import { baseUrl, flag, readConfig } from '@tributary/service-kit';
import { z } from 'zod';
import { replaceFile, secretFiles } from './secret-files.mjs';

const folder = process.env.SECRETS_DIR ?? '/run/secrets/tributary';
const certificates = process.env.TLS_DIR ?? '/run/tls';
/** The user `node` of the images, and the one of the gateway. */
const serviceUser = 1000;
/** The users of the other images. */
const users = { postgres: Number(process.env.POSTGRES_UID ?? 999), redis: Number(process.env.REDIS_UID ?? 999) };

/** By when every container has read a file again. They look every ten seconds, and the gateway takes time to reload. */
const readAgainMs = 20_000;

/** sandbox.yml adds these containers, which have a folder here then. */
const sandboxes = ['sandbox-health-system', 'sandbox-mail'].filter((name) => existsSync(join(folder, name)));
/** The containers that have a certificate. */
const subjects = [...services, 'documentation', 'gateway', 'postgres', 'redis', ...sandboxes];

/**
 * The pairs of files: the certificate and its key. `public` is the one that users see.
 * @param publicNames the host names of the public addresses
 */
function findCertificates(publicNames) {
  const files = new Map();
  const problems = [];
  const read = (name) => {
    try {
      files.set(name, readFileSync(join(certificates, name)));
    } catch {
      problems.push(`${name} cannot be read`);
    }
    return files.get(name);
  };
  const bundle = read('ca.crt');
  const authorities = bundle && certificatesIn(bundle);
  if (authorities?.length === 0) problems.push('ca.crt is not in PEM');
  for (const subject of [...subjects, 'public']) {
    const [certificate, key] = [read(`${subject}.crt`), read(`${subject}.key`)];
    const expected = subject === 'public' ? { names: publicNames } : { names: [subject], authorities };
    if (certificate && key) problems.push(...problemsOfCertificate(subject, { certificate, key }, expected));
  }
  if (problems.length > 0) throw new Error(`The folder of TLS_FOLDER cannot be used:\n  ${problems.join('\n  ')}`);
  return files;
}

/** The host names or addresses of URLs, each once. */
function hostsOf(urls) {
  // A URL has an IPv6 address in brackets.
  return [...new Set(urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, '')))];
}

/** The issuer of a certificate is not examined without `authorities`. */
function problemsOfCertificate(subject, { certificate, key }, { names, authorities }) {
  const [leaf, ...intermediate] = certificatesIn(certificate);
  try {
    return [
      ...(leaf.checkPrivateKey(createPrivateKey(key)) ? [] : [`${subject}.key is not the key of ${subject}.crt`]),
      ...(isInForce(leaf) ? [] : [`${subject}.crt has expired`]),
      ...names
        .filter((name) => !(isIP(name) ? leaf.checkIP(name) : leaf.checkHost(name)))
        .map((name) => `${subject}.crt is not for the name ${name}`),
      ...(!authorities?.length || isIssued(leaf, intermediate, authorities)
        ? []
        : [`${subject}.crt is not of an authority in ca.crt`]),
    ];
  } catch {
    return [`${subject}.crt or ${subject}.key is not in PEM`];
  }
}

/** The certificates of a PEM text; none when one of them is incomplete. */
function certificatesIn(pem) {
  const blocks = pem.toString().match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

const isInForce = ({ validTo }) => Date.parse(validTo) > Date.now();

/** Whether an authority that is in force has issued the certificate, or the last of the intermediate ones behind it. */
function isIssued(certificate, [next, ...others], authorities) {
  const isBy = (issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  if (authorities.some((authority) => isInForce(authority) && isBy(authority))) return true;
  return next !== undefined && isBy(next) && isIssued(next, others, authorities);
}

/** Writes a file that only the user of a container can read. */
function give(container, name, content) {
  const owner = users[container] ?? serviceUser;
  const directory = join(folder, container);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  chownSync(directory, owner, owner);
  const file = join(directory, name);
  if (!hasContent(file, content)) replaceFile(file, content, 0o400, owner);
}

function hasContent(file, content) {
  return existsSync(file) && readFileSync(file).equals(Buffer.from(content));
}

/** No container gets a certificate before all others have read its authority, so all trust each other meanwhile. */
async function giveCertificates(files) {
  for (const container of [...subjects, 'provision']) give(container, 'ca.crt', files.get('ca.crt'));
  const isReplacing = subjects.some((subject) => {
    const used = join(folder, subject, 'tls.crt');
    return existsSync(used) && !hasContent(used, files.get(`${subject}.crt`));
  });
  const writtenAt = Math.max(...subjects.map((subject) => statSync(join(folder, subject, 'ca.crt')).mtimeMs));
  const waitMs = Math.min(readAgainMs, writtenAt + readAgainMs - Date.now());
  if (isReplacing && waitMs > 0) {
    process.stdout.write('the containers read the authorities; the certificates follow in 20 seconds\n');
    await pause(waitMs);
  }
  for (const subject of subjects) {
    give(subject, 'tls.crt', files.get(`${subject}.crt`));
    give(subject, 'tls.key', files.get(`${subject}.key`));
  }
  give('gateway', 'public.crt', files.get('public.crt'));
  give('gateway', 'public.key', files.get('public.key'));
}

/** audit-log appends to the file of AUDIT_ANCHOR_FILE, and refuses to start without it. */
function openAnchorFile() {
  const directory = process.env.ANCHORS_DIR ?? '/var/lib/tributary/audit-anchors';
  chmodSync(directory, 0o700);
  chownSync(directory, serviceUser, serviceUser);
  const file = join(directory, 'anchors.ndjson');
  if (existsSync(file)) return;
  replaceFile(file, '', 0o600, serviceUser);
  process.stdout.write('the anchors of the audit log begin anew\n');
}

async function main() {
  const { SANDBOX_MODE: isSandbox, ...addresses } = readConfig(
    z.object({
      SANDBOX_MODE: flag.describe('true, for development only, needs no certificates'),
      BASE_URL: baseUrl.describe('the public address of user management, connect and FHIR'),
      AUTH_URL: baseUrl.describe('the public address of the token service'),
      SEARCH_URL: baseUrl.describe('the public address of the directory of health systems'),
      ANALYTICS_URL: baseUrl.describe('the public address of bulk export'),
    }),
  );
  const files = isSandbox ? new Map() : findCertificates(hostsOf(Object.values(addresses)));

  const servers = {
    postgres: { host: 'postgres', port: 5432 },
    redisUrl: isSandbox ? 'redis://redis:6379' : 'rediss://redis:6379',
  };
  for (const [container, given] of Object.entries(secretFiles(join(folder, 'made'), servers)))
    for (const [name, content] of Object.entries(given)) give(container, name, content);

  if (!isSandbox) await giveCertificates(files);
  openAnchorFile();
  process.stdout.write('the secrets are ready\n');
}

try {
  await main();
} catch (error) {
  process.stderr.write(`the secrets cannot be made: ${error.message}\n`);
  process.exitCode = 1;
}
