// Load on the built service with 16 connections: what a create, a read, a search and a batch of collected resources
// cost. Servers of its own; `node bench/load.mjs [seconds]`. Beside the rate it tells the processor time of the service
// a request, which a busy machine changes little.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';

const seconds = Number(process.argv[2] ?? 5);
const only = process.argv[3];
const root = new URL('../../../', import.meta.url).pathname;
const records = join(process.env.TRIBUTARY_DATA ?? join(root, '../shared/data'), 'records/r4');
const [port, internalPort] = [4911, 4925];
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const users = 200;

const databases = spawn(process.execPath, [join(root, 'packages/test-environment/launch/serve.js')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const [line] = await once(createInterface({ input: databases.stdout }), 'line');
const { postgresUrl, redisUrl } = JSON.parse(line);

const auth = createServer(async (incoming, response) => {
  let body = '';
  for await (const chunk of incoming) body += chunk;
  const expires_at = Math.floor(Date.now() / 1000) + 7200;
  response.end(
    JSON.stringify({
      tokens: JSON.parse(body).tokens.map((token) => ({
        active: true,
        client_id: 'bench',
        service_user_id: Number(token.slice(40)),
        scope: 'user',
        expires_at,
      })),
    }),
  );
}).listen(0, '127.0.0.1');
await once(auth, 'listening');
const tokenOf = (user) => `${'x'.repeat(40)}${user}`;

const keyFile = join(tmpdir(), `bench-key-${process.pid}`);
writeFileSync(keyFile, randomBytes(32));
const serviceKey = 'key of the bench, long enough';
const service = spawn(
  process.execPath,
  [
    ...(process.env.PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.PROFILE}`] : []),
    join(root, 'services/fhir-store/dist/main.js'),
  ],
  {
    stdio: ['ignore', process.env.SERVICE_LOG ? 'inherit' : 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT: port,
      INTERNAL_PORT: internalPort,
      HOST: '127.0.0.1',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
      DATABASE_URL: postgresUrl,
      REDIS_URL: redisUrl,
      SERVICE_KEY: serviceKey,
      SERVICE_KEYS: JSON.stringify({ bench: serviceKey }),
      BASE_URL: `http://127.0.0.1:${port}`,
      AUTH_URL: `http://127.0.0.1:${auth.address().port}`,
      AUTH_INTERNAL_URL: `http://127.0.0.1:${auth.address().port}`,
      KEY_ENCRYPTION_KEY_FILE: keyFile,
      PAGE_TOKEN_KEY: 'page token key of the bench',
      NODE_ENV: 'production',
    },
  },
);

function call(method, path, { user = 1, body, headers = {}, to = port } = {}) {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        host: '127.0.0.1',
        port: to,
        method,
        path,
        headers: {
          Authorization: `Bearer ${tokenOf(user)}`,
          ...(body ? { 'Content-Type': 'application/fhir+json', 'Content-Length': Buffer.byteLength(body) } : {}),
          ...headers,
        },
      },
      (incoming) => {
        const chunks = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode,
            headers: incoming.headers,
            text: () => Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

for (let attempt = 0; ; attempt++) {
  const ready = await call('GET', '/readyz', { to: internalPort }).catch(() => undefined);
  if (ready?.status === 200) break;
  if (attempt > 100) throw new Error('the service did not start');
  await new Promise((resolve) => setTimeout(resolve, 100));
}

function cpuMs() {
  const stat = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(stat[11]) + Number(stat[12])) * 10;
}

async function measure(name, work, { connections = 16, units = 1 } = {}) {
  if (only && !name.startsWith(only) && !name.includes('compare')) return;
  const times = [];
  const before = cpuMs();
  const began = performance.now();
  const until = began + seconds * 1000;
  let count = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        const start = performance.now();
        const answer = await work(count++);
        if (answer.status >= 400) throw new Error(`${name}: ${answer.status} ${answer.text().slice(0, 300)}`);
        times.push(performance.now() - start);
      }
    }),
  );
  const elapsed = (performance.now() - began) / 1000;
  times.sort((a, b) => a - b);
  const at = (share) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  console.log(
    `${name}: ${Math.round((times.length * units) / elapsed)}/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${Math.round(((cpuMs() - before) * 1000) / times.length / units)} µs of processor time each`,
  );
}

const lines = existsSync(records)
  ? readdirSync(records)
      .filter((name) => /^bds.*gz$/.test(name))
      .flatMap((name) =>
        gunzipSync(readFileSync(join(records, name)))
          .toString()
          .trim()
          .split('\n'),
      )
      .slice(0, 300)
  : [];
const observation = (n, patient) =>
  JSON.stringify({
    resourceType: 'Observation',
    status: 'final',
    category: [
      {
        coding: [
          {
            system: 'http://terminology.hl7.org/CodeSystem/observation-category',
            code: 'vital-signs',
            display: 'vital-signs',
          },
        ],
      },
    ],
    code: {
      coding: [{ system: 'http://loinc.org', code: `code-${n % 15}`, display: 'Body Height' }],
      text: 'Body Height',
    },
    subject: { reference: `Patient/${patient}` },
    encounter: { reference: `Encounter/${patient}` },
    effectiveDateTime: new Date(1.5e12 + n * 1e7).toISOString(),
    issued: new Date(1.5e12 + n * 1e7).toISOString(),
    valueQuantity: { value: 100 + (n % 100) / 10, unit: 'cm', system: 'http://unitsofmeasure.org', code: 'cm' },
  });
const patient = '0190aaaa-0000-7000-8000-000000000000';
const batch = (user) => {
  const body = (
    lines.length > 0
      ? lines
      : Array.from({ length: 300 }, (_, n) => observation(n, patient).replace('{', `{"id":"o${n}",`))
  ).join('\n');
  return call(
    'POST',
    `/internal/v1/records/${user}/batches?client_id=bench&release=r4&health_system_id=1&fhir_base_url=https://ehr.example.org`,
    {
      to: internalPort,
      body,
      headers: {
        Authorization: `Basic ${Buffer.from(`bench:${serviceKey}`).toString('base64')}`,
        'Content-Type': 'application/fhir+ndjson',
      },
    },
  );
};

try {
  for (let user = 1; user <= users; user++)
    await call('POST', '/r4/Observation', { user, body: observation(0, patient) });
  const ids = new Map();
  await Promise.all(
    Array.from({ length: 16 }, async (_, worker) => {
      for (let n = worker; n < users * 60; n += 16) {
        const user = 1 + (n % users);
        const { headers } = await call('POST', '/r4/Observation', {
          user,
          body: observation(Math.floor(n / users), patient),
          headers: { Prefer: 'return=minimal' },
        });
        ids.set(n, headers.location.split('/').at(-3));
      }
    }),
  );
  await measure('an empty Express route, to compare', () => call('GET', '/healthz', { to: internalPort }));
  await measure('create', (n) =>
    call('POST', '/r4/Observation', { user: 1 + (n % users), body: observation(n, patient) }),
  );
  await measure('read', (n) => {
    const k = (n * 7919) % (users * 60);
    return call('GET', `/r4/Observation/${ids.get(k)}`, { user: 1 + (k % users) });
  });
  await measure('search by code, 20 of a page', (n) =>
    call('GET', `/r4/Observation?category=vital-signs&code=http://loinc.org%7Ccode-${n % 15}&_count=20`, {
      user: 1 + ((n * 31) % users),
    }),
  );
  await measure('search sorted by date', (n) =>
    call('GET', `/r4/Observation?category=vital-signs&_sort=-date&_count=20`, { user: 1 + ((n * 31) % users) }),
  );
  await measure('ingest of 300 resources', (n) => batch(100_000 + n), { connections: 4, units: lines.length || 300 });
  await measure('ingest again, unchanged', (n) => batch(100_000 + (n % 5)), {
    connections: 4,
    units: lines.length || 300,
  });
  const codes = [
    ...new Set(
      lines
        .map((text) => JSON.parse(text))
        .filter(({ resourceType }) => resourceType === 'Observation')
        .map(({ code }) => code.coding[0].code),
    ),
  ].slice(0, 10);
  for (let user = 0; user < users; user++) await batch(200_000 + user);
  await measure('collected: search by code, 20 of a page', (n) =>
    call('GET', `/r4/Observation?code=http://loinc.org%7C${codes[n % codes.length] ?? 'code-1'}&_count=20`, {
      user: 200_000 + ((n * 31) % users),
    }),
  );
  if (!only || only === 'large') {
    const large = 900_000;
    for (let from = 0; from < 100_000; from += 500) {
      const body = Array.from({ length: 500 }, (_, n) =>
        observation(from + n, patient).replace('{', `{"id":"o${from + n}",`),
      ).join('\n');
      const answer = await call(
        'POST',
        `/internal/v1/records/${large}/batches?client_id=bench&release=r4&health_system_id=1&fhir_base_url=https://ehr.example.org`,
        {
          to: internalPort,
          body,
          headers: {
            Authorization: `Basic ${Buffer.from(`bench:${serviceKey}`).toString('base64')}`,
            'Content-Type': 'application/fhir+ndjson',
          },
        },
      );
      if (answer.status !== 200) throw new Error(answer.text());
    }
    await measure(
      'large record (100,000): search by code',
      (n) => call('GET', `/r4/Observation?code=http://loinc.org%7Ccode-${n % 15}&_count=20`, { user: large }),
      { connections: 1 },
    );
    await measure(
      'large record (100,000): by date',
      () => call('GET', '/r4/Observation?_sort=-date&_count=20', { user: large }),
      { connections: 1 },
    );
  }
} finally {
  service.kill();
  await once(service, 'exit');
  databases.stdin.end();
  auth.close();
  agent.destroy();
}
