import type { NewAuditEvent } from '@tributary/audit-log';
import { validateResource } from '@tributary/fhir-validation';
import type { Resource } from '@tributary/fhir-json';
import request from 'supertest';
import { AuditLogUnderTest, baseUrl } from '../../test/audit-log-under-test';

const hour = 3_600_000;
const now = Date.now();
const path = '/audit/r4/AuditEvent';

interface Bundle {
  link: { relation: string; url: string }[];
  entry?: { fullUrl: string; resource: { id: string; recorded: string; meta?: { profile: string[] } } }[];
}

let log: AuditLogUnderTest;
let [one, other]: { client_id: string; client_secret: string }[] = [];
const [ada, ben, eve] = [1001, 1002, 2001];
const ids: Record<string, string> = {};

function event(client: { client_id: string } | undefined, changes: Partial<NewAuditEvent>): NewAuditEvent {
  return {
    kind: 'fhir.read',
    action: 'R',
    outcome: 'success',
    status: 200,
    requestId: 'request-1',
    agent: { clientId: client!.client_id },
    address: '203.0.113.7',
    ...changes,
  };
}

beforeAll(async () => {
  log = await AuditLogUnderTest.start();
  [one, other] = [log.newClient(), log.newClient()];
  const stream = await log.stream('fhir-store', now - 40 * 24 * hour);
  const ofUser = (id: number, client = one) => ({
    agent: { clientId: client!.client_id, serviceUserId: id },
    subject: id,
  });
  const entities = [{ release: 'r4', type: 'Observation', id: 'a-1', version: 2 }];
  const add = async (at: number, events: Record<string, NewAuditEvent>): Promise<void> => {
    const added = await stream.add(at, Object.values(events));
    Object.keys(events).forEach((name, index) => (ids[name] = added[index]!));
  };
  await add(now - 40 * 24 * hour, {
    read: event(one, { ...ofUser(ada), entities, userAgent: 'curl' }),
    search: event(one, {
      ...ofUser(ada),
      kind: 'fhir.search',
      entities: [{ release: 'r4', type: 'Observation', query: 'code&date', count: 7 }],
    }),
    foreign: event(other, { ...ofUser(eve, other), entities }),
  });
  await add(now - 2 * hour, {
    create: event(one, { ...ofUser(ben), kind: 'fhir.create', action: 'C', status: 201, entities }),
    refused: event(one, {
      ...ofUser(ada),
      kind: 'fhir.update',
      action: 'U',
      outcome: 'refused',
      status: 412,
      errorCode: 'conflict',
      entities,
    }),
    delete: event(one, { ...ofUser(ada), kind: 'fhir.delete', action: 'D', status: 204, entities }),
  });
  await add(now - hour, {
    download: event(one, {
      kind: 'download',
      action: 'E',
      subject: ada,
      outcome: 'aborted',
      entities: [{ bytes: 12, counts: { Patient: 1 } }],
      eventOf: ids['read']!,
    }),
    collected: event(one, {
      kind: 'collection.batch',
      action: 'C',
      subject: ada,
      agent: { clientId: one!.client_id, service: 'ingestion-worker' },
    }),
    operator: event(one, { kind: 'operator.command', action: 'E', agent: { operator: 'root@host' } }),
  });
});
afterAll(() => log.stop());

async function search(query: string, headers: Record<string, string>): Promise<{ names: string[]; bundle: Bundle }> {
  const answer = await log.get(`${path}${query}`, headers);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"searchset"')]);
  const bundle = JSON.parse(answer.text) as Bundle;
  const nameOf = (id: string): string => Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id;
  return { names: (bundle.entry ?? []).map(({ resource }) => nameOf(resource.id)), bundle };
}

const headersOf = (client: { client_id: string; client_secret: string } | undefined): Record<string, string> => ({
  ...client!,
});

describe('a search of audit events', () => {
  it('gives a client the events of its users, the newest first', async () => {
    expect((await search('', headersOf(one))).names).toEqual([
      'collected',
      'download',
      'delete',
      'refused',
      'create',
      'search',
      'read',
    ]);
    expect((await search('', headersOf(other))).names).toEqual(['foreign']);
  });

  it('gives a user the events of the own record', async () => {
    expect((await search('?_sort=date', log.bearer(one!.client_id, ada))).names).toEqual([
      'read',
      'search',
      'refused',
      'delete',
      'download',
      'collected',
    ]);
    expect((await search(`?patient=${ben}`, log.bearer(one!.client_id, ada))).names).toEqual([]);
  });

  it.each([
    [`patient=${ben}`, ['create']],
    [`patient=${ada},${ben}&action=C`, ['collected', 'create']],
    [`patient:no=1`, undefined],
    ['action=R,E', ['download', 'search', 'read']],
    ['action=http://hl7.org/fhir/audit-event-action|D', ['delete']],
    ['outcome=4', ['download', 'refused']],
    ['type=rest', ['delete', 'refused', 'create', 'search', 'read']],
    ['type=http://dicom.nema.org/resources/ontology/DCM|110107', ['collected']],
    ['subtype=read', ['read']],
    ['subtype=http://hl7.org/fhir/restful-interaction|search', ['search']],
    ['subtype=download', ['download']],
    ['agent=ingestion-worker', ['collected']],
    [`agent=${encodeURIComponent(`${baseUrl}/audit/service-user-id|${ben}`)}`, ['create']],
    ['entity=Observation/a-1&action=R', ['read']],
    ['entity=stu3/Observation/a-1', []],
    [`date=lt${new Date(now - 24 * hour).toISOString()}`, ['search', 'read']],
    [
      `date=ge${new Date(now - 3 * hour).toISOString()}&date=lt${new Date(now - 1.5 * hour).toISOString()}`,
      ['delete', 'refused', 'create'],
    ],
    ['date=2001', []],
    ['_count=0', []],
  ])('filters by %s', async (query, names) => {
    if (names) expect((await search(`?${query}`, headersOf(one))).names).toEqual(names);
    else expect((await log.get(`${path}?${query}`, headersOf(one))).status).toBe(400);
  });

  it.each([
    ['date=yesterday', /date takes a date/],
    ['patient=Ada', /patient takes a service_user_id/],
    ['action=X', /action takes C, R, U, D or E/],
    ['entity=Observation', /entity takes/],
    ['_count=-1', /_count: must be an integer/],
    ['_sort=patient', /_sort/],
    ['type=rest,', /type has an empty value/],
    ['unknown=1', /unknown is an unknown parameter/],
    ['_page=forged', /_page: use the link/],
  ])('refuses %s and names the parameter', async (query, message) => {
    const answer = await log.get(`${path}?${query}`, headersOf(one));
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(message);
    expect(answer.text).toContain('OperationOutcome');
  });

  it('takes the parameters in a form as well, and links to further pages', async () => {
    const answer = await log.post(`${path}/_search`, headersOf(one), { subtype: 'read,search', _count: '1' });
    const found = JSON.parse(answer.text) as Bundle;
    expect([answer.status, found.entry?.map(({ resource }) => resource.id)]).toEqual([200, [ids['search']]]);
    const next = found.link.find(({ relation }) => relation === 'next')!.url;
    expect((await search(next.replace(/^[^?]*/, ''), headersOf(one))).names).toEqual(['read']);
    const all = await request(log.app).post(`${path}/_search`).set(headersOf(one));
    const entries = ({ text }: { text: string }): unknown => (JSON.parse(text) as Bundle).entry;
    expect([all.status, entries(all)]).toEqual([200, entries(await log.get(path, headersOf(one)))]);
    const refused = await log.post(`${path}/_search`, headersOf(one), { unknown: '1' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('unknown is an unknown parameter')]);
  });

  it.each([1, 2, 3, 100])('has pages of %s events without gaps and repetitions', async (count) => {
    for (const sort of ['date', '-date']) {
      const expected = (await search(`?_sort=${sort}`, headersOf(one))).names;
      const found: string[] = [];
      let query = `?_sort=${sort}&_count=${count}`;
      for (let pages = 0; pages < 20 && query !== ''; pages++) {
        const { names, bundle } = await search(query, headersOf(one));
        found.push(...names);
        query = bundle.link.find(({ relation }) => relation === 'next')?.url.replace(/^[^?]*/, '') ?? '';
      }
      expect(found).toEqual(expected);
    }
  });

  it('accepts the link of a page from its caller only', async () => {
    const { bundle } = await search('?_count=1', headersOf(one));
    const next = bundle.link.find(({ relation }) => relation === 'next')!.url;
    expect((await log.get(next, headersOf(one))).status).toBe(200);
    expect((await log.get(`${next}&_count=2`, headersOf(one))).status).toBe(400);
    for (const foreign of [headersOf(other), log.bearer(one!.client_id, ada)])
      expect((await log.get(next, foreign)).status).toBe(400);
  });

  it('reads events by id, and no event of others', async () => {
    const answer = await log.get(`${path}/${ids['read']}`, headersOf(one));
    expect([answer.status, (JSON.parse(answer.text) as { id: string }).id]).toEqual([200, ids['read']]);
    const unknown = await log.get(`${path}/${ids['read']!.replace(/.$/, 'z')}`, headersOf(one));
    for (const [id, headers] of [
      [ids['foreign'], headersOf(one)],
      [ids['operator'], headersOf(one)],
      [ids['create'], log.bearer(one!.client_id, ada)],
      ['no-event', headersOf(one)],
    ] as const) {
      const foreign = await log.get(`${path}/${id}`, headers);
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    }
    expect((await search(`?_id=${ids['read']},${ids['foreign']},x`, headersOf(one))).names).toEqual(['read']);
    expect((await search(`?_id=${ids['read']}&action=C`, headersOf(one))).names).toEqual([]);
  });
});

describe('the callers', () => {
  it.each([
    ['system/AuditEvent.rs', 200],
    ['system/*.read', 200],
    ['system/Patient.rs', 403],
    ['launch', 401],
  ])('with the scope %s get %s', async (scope, status) => {
    expect((await log.get(path, log.systemToken(one!.client_id, scope))).status).toBe(status);
  });

  it('need credentials', async () => {
    const wrong = { ...one!, client_secret: 'wrong' };
    const answers = [
      await log.get(path, {}),
      await log.get(path, { Authorization: 'Bearer forged' }),
      await log.get(path, wrong),
      await log.get(`${path}/${ids['read']}`, {}),
    ];
    for (const answer of answers)
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer/)]);
    expect((await log.get(path, { ...one!, Authorization: 'Bearer x' })).status).toBe(400);
  });
});

describe('an AuditEvent', () => {
  it('is valid, whatever the kind of event', async () => {
    const { bundle } = await search('', headersOf(one));
    for (const { resource } of bundle.entry ?? [])
      expect([resource.id, validateResource('r4', resource as unknown as Resource)]).toEqual([resource.id, []]);
  });

  it('has a profile of IHE BALP where it fits, and what the profile demands', async () => {
    const profiles = async (name: string): Promise<string[]> => {
      const answer = await log.get(`${path}/${ids[name]}`, headersOf(one));
      const { meta } = JSON.parse(answer.text) as { meta?: { profile: string[] } };
      return (meta?.profile ?? []).map((url) =>
        url.replace('https://profiles.ihe.net/ITI/BALP/StructureDefinition/', ''),
      );
    };
    expect(await profiles('read')).toEqual(['IHE.BasicAudit.PatientRead']);
    expect(await profiles('create')).toEqual(['IHE.BasicAudit.PatientCreate']);
    expect(await profiles('delete')).toEqual(['IHE.BasicAudit.PatientDelete']);
    for (const name of ['search', 'refused', 'download', 'collected']) expect(await profiles(name)).toEqual([]);
    const read = JSON.parse((await log.get(`${path}/${ids['read']}`, headersOf(one))).text) as object;
    expect(read).toMatchObject({
      type: { system: 'http://terminology.hl7.org/CodeSystem/audit-event-type', code: 'rest' },
      subtype: [{ system: 'http://hl7.org/fhir/restful-interaction', code: 'read' }],
      action: 'R',
      outcome: '0',
      agent: [
        { type: { coding: [{ code: 'IRCP' }] }, requestor: true, who: { identifier: { value: String(ada) } } },
        {
          type: { coding: [{ code: '110152' }] },
          requestor: false,
          who: { identifier: { value: one!.client_id }, display: 'curl' },
          network: { address: '203.0.113.7', type: '2' },
        },
        { type: { coding: [{ code: '110153' }] }, requestor: false, network: { address: baseUrl, type: '5' } },
      ],
      source: { observer: { identifier: { value: 'fhir-store' } } },
      entity: [
        { type: { code: '1' }, role: { code: '1' }, what: { type: 'Patient', identifier: { value: String(ada) } } },
        { type: { code: '2' }, role: { code: '4' }, what: { reference: `${baseUrl}/r4/Observation/a-1/_history/2` } },
        { type: { code: 'XrequestId' }, what: { identifier: { value: 'request-1' } } },
      ],
    });
  });
});

it('shows the developer who acted for a client, and finds what the developer did', async () => {
  const client = log.newClient();
  const stream = await log.stream('user-management', now - hour);
  const agent = { clientId: client.client_id, developer: 'jane-1' };
  const [acted] = await stream.add(now - hour, [
    event(client, { kind: 'user.changed', action: 'U', agent }),
    event(client, { kind: 'user.read' }),
  ]);
  const resource = JSON.parse((await log.get(`${path}/${acted}`, headersOf(client))).text) as Resource;
  expect(validateResource('r4', resource)).toEqual([]);
  expect(resource).toMatchObject({
    agent: [
      {
        type: { coding: [{ code: 'AUT' }] },
        requestor: true,
        who: { identifier: { system: `${baseUrl}/audit/developer`, value: 'jane-1' } },
      },
      { requestor: false, who: { identifier: { value: client.client_id } } },
      { requestor: false, who: { identifier: { value: 'user-management' } } },
    ],
  });
  for (const name of ['jane-1', `${baseUrl}/audit/developer|jane-1`])
    expect((await search(`?agent=${encodeURIComponent(name)}`, headersOf(client))).names).toEqual([acted]);
});

it('serves a valid CapabilityStatement, and an OpenAPI document', async () => {
  const statement = await log.get('/audit/r4/metadata', {});
  expect(validateResource('r4', JSON.parse(statement.text) as Resource)).toEqual([]);
  const document = await log.get('/openapi.json', {});
  expect(Object.keys((document.body as { paths: object }).paths)).toEqual([
    '/audit/r4/AuditEvent',
    '/audit/r4/AuditEvent/_search',
    '/audit/r4/AuditEvent/{id}',
    '/audit/v1/usage',
    '/audit/r4/metadata',
    '/.well-known/oauth-protected-resource/audit/r4',
  ]);
});

it('records who reads audit events, about the user whose events are found', async () => {
  const audited = await AuditLogUnderTest.start({}, true);
  const client = audited.newClient();
  const stream = await audited.stream('fhir-store', now - hour);
  await stream.add(now - hour, [event(client, { subject: 77 })]);
  const reading = await audited.get(`${path}?patient=77&date=ge2020`, { ...client, 'User-Agent': 'curl/8' });
  expect((reading.body as Bundle).entry).toHaveLength(1);
  // A user of another client, or of none: what a client asks for is no fact about the user.
  expect((await audited.get(`${path}?patient=78`, { ...client })).body).not.toHaveProperty('entry');
  expect((await audited.get(`${path}?date=no-date`, { ...client })).status).toBe(400);
  const read = async (query: string): Promise<unknown[]> => {
    const { body } = await audited.get(`${path}?type=110101&${query}`, { ...client });
    return ((body as Bundle).entry ?? []).map(({ resource }) => resource);
  };
  expect(await read('patient=77')).toMatchObject([
    {
      subtype: [{ code: 'audit.read' }],
      outcome: '0',
      entity: [
        { what: { identifier: { value: '77' } } },
        { what: { type: 'AuditEvent' }, description: 'patient&date', detail: [{ type: 'count', valueString: '1' }] },
        { type: { code: 'XrequestId' } },
      ],
    },
  ]);
  expect(await read('patient=78')).toEqual([]);
  expect(await read('outcome=4')).toHaveLength(1);
  await audited.stop();
});

it('says on an empty page how far the search has come, and goes on there', async () => {
  const slow = await AuditLogUnderTest.start({}, false, 0);
  const client = slow.newClient();
  const [id] = await (await slow.stream()).add(now - 40 * hour, [event(client, {})]);
  let query = '';
  const reached: string[] = [];
  for (let pages = 0; pages < 20; pages++) {
    const { link, entry = [] } = (await slow.get(`${path}${query}`, { ...client })).body as Bundle;
    const [{ resource } = { resource: undefined }] = entry;
    if (resource?.id === id) break;
    expect(resource).toEqual({
      resourceType: 'OperationOutcome',
      issue: [
        {
          severity: 'information',
          code: 'informational',
          diagnostics: expect.stringMatching(/^searched back to \S+Z: the next page goes on$/) as string,
        },
      ],
    });
    reached.push(JSON.stringify(resource));
    query = new URL(link.find(({ relation }) => relation === 'next')!.url).search;
  }
  expect(reached.length).toBeGreaterThan(0);
  expect(reached).toEqual([...new Set(reached)].toSorted().toReversed());
  await slow.stop();
});

it.each([
  ['a block was changed', `UPDATE audit.block SET content = set_byte(content, 0, get_byte(content, 0) # 1)`],
  ['the key of a stream was changed', `UPDATE audit.stream SET key_wrapped = '\\x00'`],
  ['the row of a stream is missing', `DELETE FROM audit.stream`],
])('finds the other events when %s, and states that events are missing', async (_what, sql) => {
  const fresh = await AuditLogUnderTest.start();
  const client = fresh.newClient();
  const [broken, whole] = [await fresh.stream(), await fresh.stream()];
  const [lost] = await broken.add(now - 2 * hour, [event(client, { subject: 77 })]);
  const [found] = await whole.add(now - hour, [event(client, { subject: 77 })]);
  await fresh.superuser.query(`${sql} WHERE stream_id = $1`, [broken.streamId]);
  for (const query of ['', `?_id=${lost},${found}`, '?patient=77&_sort=date']) {
    const { status, body } = await fresh.get(`${path}${query}`, { ...client });
    expect([status, (body as Bundle).entry]).toEqual([
      200,
      [
        expect.objectContaining({ resource: expect.objectContaining({ id: found }) as object }),
        {
          resource: {
            resourceType: 'OperationOutcome',
            issue: [
              {
                severity: 'warning',
                code: 'incomplete',
                diagnostics: 'events may be missing: 1 block of the audit log cannot be opened',
              },
            ],
          },
          search: { mode: 'outcome' },
        },
      ],
    ]);
    expect(validateResource('r4', body as Resource)).toEqual([]);
  }
  expect((await fresh.get(`${path}/${lost}`, { ...client })).status).toBe(404);
  await fresh.stop();
});
