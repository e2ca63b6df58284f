import { setTimeout as pause } from 'node:timers/promises';
import type { ReadyEvent } from '../suite/running';
import { send } from './api';
import { type StepPrinter } from './printer';
import { bundle, connections, createdUser, healthSystems, manifest, stored, tokens } from './shapes';

interface Session {
  ready: ReadyEvent;
  printer: StepPrinter;
  patient: ReadyEvent['sandbox']['patients'][number];
}

export interface Summary {
  collected: number;
  collectionSeconds: number;
  byType: Record<string, number>;
  exported: number;
  exportSeconds: number;
  exportBytes: number;
}

/** The whole journey of a user, from creation to the downloaded export. */
export async function journey(ready: ReadyEvent, printer: StepPrinter): Promise<Summary> {
  const patient = ready.sandbox.patients[0];
  if (!patient) throw new Error('the sandbox has no patients');
  const session = { ready, printer, patient };
  const token = await newUser(session);
  await connect(session, token);
  const { collected, seconds } = await awaitCollection(session, token);
  await query(session, token);
  await create(session, token);
  const exported = await bulkExport(session, token);
  return { collected, collectionSeconds: seconds, ...exported };
}

async function newUser({ ready, printer }: Session): Promise<string> {
  const { client_id, client_secret } = ready.client;
  printer.step('Create a user');
  const created = createdUser.parse(
    (
      await send(printer, {
        method: 'POST',
        url: `${ready.base_url}/user-management/v1/user`,
        headers: { client_id, client_secret },
        form: { app_user_id: `demo-${Date.now()}` },
      })
    ).json,
  );
  printer.say(`service_user_id ${created.service_user_id}, app_user_id ${created.app_user_id}`);
  printer.step("Exchange the user's code for tokens");
  const token = tokens.parse(
    (
      await send(printer, {
        method: 'POST',
        url: `${ready.auth_url}/oauth2/token`,
        form: { client_id, client_secret, code: created.code, grant_type: 'authorization_code' },
      })
    ).json,
  );
  printer.say(`an access token that lives ${token.expires_in} s, and a refresh token`);
  return token.access_token;
}

async function connect({ ready, printer, patient }: Session, token: string): Promise<void> {
  printer.step('Search the directory of health systems');
  const found = healthSystems.parse(
    (
      await send(printer, {
        method: 'POST',
        url: `${ready.search_url}/api/search?query=sandbox&offset=0`,
        headers: { Authorization: `Bearer ${token}` },
      })
    ).json,
  );
  const chosen = found.entry.find(({ id }) => id === ready.sandbox.health_system_id) ?? found.entry[0];
  if (!chosen) throw new Error('the directory does not know the sandbox');
  printer.say(`${found.total} found; choosing ${chosen.id}: ${chosen.name}, ${chosen.address}`);

  printer.step(`Connect to it; ${patient.username} signs in and allows access (here the script does)`);
  const query = new URLSearchParams({
    client_id: ready.client.client_id,
    access_token: token,
    prompt: 'none',
    login_hint: patient.username,
  });
  let url = `${ready.base_url}/connect/system/clinical/${chosen.id}?${query.toString()}`;
  const cookies = new Map<string, string>();
  for (let hop = 0; hop < 12; hop++) {
    const response = await send(printer, {
      method: 'GET',
      url,
      manualRedirect: true,
      headers: cookies.size ? { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {},
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (!location) throw new Error(`connecting ended at ${new URL(url).pathname} with ${response.status}`);
    url = new URL(location, url).href;
    if (url.startsWith(ready.client.redirect_uri)) break;
  }
  const end = new URL(url);
  if (end.searchParams.get('success') !== 'true')
    throw new Error(`the health system refused: ${end.searchParams.get('error') ?? 'no reason given'}`);
  printer.say(`back at the client: ${end.pathname}${end.search}`);
}

async function awaitCollection(
  { ready, printer }: Session,
  token: string,
): Promise<{ collected: number; seconds: number }> {
  printer.step('The record is collected in the background');
  const began = performance.now();
  const url = `${ready.base_url}/connect/v1/connections`;
  for (let first = true; ; first = false) {
    const { entry } = connections.parse(
      (await send(printer, { method: 'GET', url, headers: { Authorization: `Bearer ${token}` }, quiet: !first })).json,
    );
    const sum = (pick: (progress: (typeof entry)[number]['progress']) => number): number =>
      entry.reduce((total, { progress }) => total + pick(progress), 0);
    const collecting = entry.some(({ status }) => status === 'collecting');
    const collected = sum((progress) => progress.collected);
    printer.progress(
      sum((progress) => progress.types_done),
      sum((progress) => progress.types_total),
      `${collected} resources from ${entry.map(({ fhirVersion }) => fhirVersion).join(', ')}`,
      !collecting,
    );
    const failed = entry.find(({ status }) => status !== 'collecting' && status !== 'active');
    if (failed) throw new Error(`the ${failed.fhirVersion} connection is ${failed.status}: ${failed.error ?? ''}`);
    if (!collecting && entry.length > 0) return { collected, seconds: (performance.now() - began) / 1000 };
    await pause(300);
  }
}

async function query({ ready, printer, patient }: Session, token: string): Promise<void> {
  const release = patient.releases.includes('r4') ? 'r4' : (patient.releases[0] ?? 'r4');
  const headers = { Authorization: `Bearer ${token}` };
  const search = async (path: string): Promise<NonNullable<ReturnType<typeof bundle.parse>['entry']>> =>
    bundle.parse((await send(printer, { method: 'GET', url: `${ready.base_url}/${release}/${path}`, headers })).json)
      .entry ?? [];
  printer.step('Query it: demographics, conditions by code, an observation by LOINC code');
  const [demographics] = await search('Patient');
  const name = demographics?.resource.name?.[0];
  printer.say(
    `${name?.text ?? [...(name?.given ?? []), name?.family].join(' ')}, ${demographics?.resource.gender ?? '?'}, born ${demographics?.resource.birthDate ?? '?'}`,
  );
  const conditions = await search('Condition?_count=1');
  const code = conditions[0]?.resource.code?.coding?.[0]?.code;
  if (code)
    printer.say(
      `${(await search(`Condition?code=${encodeURIComponent(code)}`)).length} conditions with the code ${code} (${conditions[0]?.resource.code?.text ?? ''})`,
    );
  for (const { resource } of (await search('Observation?code=http%3A%2F%2Floinc.org%7C8302-2')).slice(0, 3))
    printer.say(`body height: ${resource.valueQuantity?.value ?? '?'} ${resource.valueQuantity?.unit ?? ''}`);
}

async function create({ ready, printer }: Session, token: string): Promise<void> {
  printer.step('Create a resource of your own, and find it');
  const created = stored.parse(
    (
      await send(printer, {
        method: 'POST',
        url: `${ready.base_url}/dstu2/Patient`,
        headers: { Authorization: `Bearer ${token}` },
        json: {
          resourceType: 'Patient',
          id: 'ignored',
          name: [{ use: 'official', text: 'Robin Example', family: ['Example'], given: ['Robin'] }],
          gender: 'other',
          birthDate: '1990-07-04',
        },
      })
    ).json,
  );
  printer.say(`stored as ${created.resourceType}/${created.id}, version ${created.meta.versionId}`);
  await send(printer, {
    method: 'GET',
    url: `${ready.base_url}/dstu2/Patient/${created.id}`,
    headers: { Authorization: `Bearer ${token}` },
  });
}

async function bulkExport(
  { ready, printer }: Session,
  token: string,
): Promise<{ byType: Record<string, number>; exported: number; exportSeconds: number; exportBytes: number }> {
  const headers = { Authorization: `Bearer ${token}` };
  printer.step('Export everything, and download it as NDJSON');
  const began = performance.now();
  const { output, transactionTime } = manifest.parse(
    (await send(printer, { method: 'GET', url: `${ready.analytics_url}/bulk-data/r4/$export`, headers })).json,
  );
  printer.say(`${output.length} files, as of ${transactionTime}`);
  const byType: Record<string, number> = {};
  let exportBytes = 0;
  for (const [index, { type, url }] of output.entries()) {
    const { text } = await send(printer, { method: 'GET', url, headers, quiet: index > 0 });
    byType[type] = (byType[type] ?? 0) + text.split('\n').filter(Boolean).length;
    exportBytes += Buffer.byteLength(text);
    printer.progress(
      index + 1,
      output.length,
      `${Object.values(byType).reduce((sum, count) => sum + count, 0)} resources`,
      index + 1 === output.length,
    );
  }
  return {
    byType,
    exported: Object.values(byType).reduce((sum, count) => sum + count, 0),
    exportSeconds: (performance.now() - began) / 1000,
    exportBytes,
  };
}
