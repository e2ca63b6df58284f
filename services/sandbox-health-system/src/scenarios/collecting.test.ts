import {
  everyPage,
  get,
  origin,
  startSandbox,
  tokensFor,
  refresh,
  type Bundle,
  type Running,
  type Tokens,
} from '../../test/smart-client';

const elsewhere = 'http://elsewhere.example';
let running: Running;
beforeAll(async () => {
  running = await startSandbox({ SANDBOX_ELSEWHERE_URL: elsewhere });
});

const grant = (name: string, release: 'dstu2' | 'stu3' | 'r4' = 'r4'): Promise<Tokens> =>
  tokensFor(running, { hint: `amelia-hart+${name}`, release });
const page = async (address: string, token: string): Promise<Bundle> =>
  JSON.parse((await get(running, address, token).expect(200)).body as string) as Bundle;
const nextOf = (bundle: Bundle): string | undefined => bundle.link.find(({ relation }) => relation === 'next')?.url;

/** How many observations the plain server has. */
let whole: number;
beforeAll(async () => {
  whole = (
    await everyPage(
      running,
      '/fhir/r4/Observation?_count=500',
      (await tokensFor(running, { hint: 'amelia-hart' })).access_token,
    )
  ).length;
});

/** Asks again until the answer is a good one, and tells the statuses that came before. */
async function insisting(address: string, token: string): Promise<{ bundle: Bundle; before: number[] }> {
  const before: number[] = [];
  for (;;) {
    const answer = await get(running, address, token).catch(() => undefined);
    try {
      if (answer?.status === 200) return { bundle: JSON.parse(answer.body as string) as Bundle, before };
    } catch {
      before.push(-1);
      continue;
    }
    before.push(answer?.status ?? 0);
  }
}

/** Collects all observations in spite of failures. */
async function insistently(token: string): Promise<{ count: number; failures: number[] }> {
  const ids = new Set<string>();
  const failures: number[] = [];
  for (let next: string | undefined = '/fhir/r4/Observation?_count=15'; next;) {
    const { bundle, before } = await insisting(next, token);
    failures.push(...before);
    for (const { resource } of bundle.entry ?? []) ids.add(resource.id!);
    next = nextOf(bundle);
  }
  return { count: ids.size, failures };
}

describe('next links', () => {
  it.each([
    ['next-relative', /^\.\.\/r4\?_getpages=/],
    ['next-path-only', /^\/fhir\/r4\?/],
    ['next-schemeless', /^\/\/sandbox\.example\/fhir\/r4\?/],
    ['next-double-port', /^http:\/\/sandbox\.example:80:80\/fhir\/r4\?/],
    ['next-internal-host', /^http:\/\/fhir-backend\.internal:8080\/fhir\/r4\?/],
    ['next-long', /.{2048}/],
    ['next-other-origin', /^http:\/\/elsewhere\.example\/elsewhere\/amelia-hart\/pages\?/],
    ['next-private-host', /^http:\/\/169\.254\.169\.254\/fhir\?/],
  ])('%s', async (name, expected) => {
    const { access_token: token } = await grant(name);
    expect(nextOf(await page('/fhir/r4/Observation', token))).toMatch(expected);
  });

  it('next-relative leads, by the rules for relative addresses, to the next page', async () => {
    const { access_token: token } = await grant('next-relative');
    const next = nextOf(await page('/fhir/r4/Observation', token))!;
    expect((await page(new URL(next, `${origin}/fhir/r4/Observation`).href, token)).entry).toHaveLength(15);
  });

  it('vendor-oracle continues below the type', async () => {
    const { access_token: token } = await grant('vendor-oracle');
    const exactly = (address: string) => get(running, address, token).set('Accept', 'application/fhir+json');
    const ids = new Set<string>();
    const links: string[] = [];
    for (let next: string | undefined = '/fhir/r4/Observation?_count=15'; next;) {
      const bundle = JSON.parse((await exactly(next).expect(200)).body as string) as Bundle;
      for (const { resource } of bundle.entry ?? []) ids.add(resource.id!);
      next = nextOf(bundle);
      if (next) links.push(next);
    }
    expect(ids.size).toBe(whole);
    expect(new Set(links).size).toBe(Math.ceil(whole / 15) - 1);
    for (const link of links)
      expect(link).toMatch(
        /^http:\/\/sandbox\.example\/fhir\/r4\/Observation\?-pageContext=[^&]+&-pageDirection=NEXT$/,
      );
    await exactly('/fhir/r4/Observation?-pageContext=forged&-pageDirection=NEXT').expect(410);
  });

  it('start-index goes on by number', async () => {
    const { access_token: token } = await grant('start-index');
    expect(nextOf(await page('/fhir/r4/Observation?code=8302-2', token))).toBe(
      `${origin}/fhir/r4/Observation?code=8302-2&startIndex=15`,
    );
    expect(await everyPage(running, '/fhir/r4/Observation', token)).toHaveLength(whole);
  });

  it('next-self, next-loop and next-endless never end', async () => {
    const self = await grant('next-self');
    const second = nextOf(await page('/fhir/r4/Observation', self.access_token))!;
    expect(nextOf(await page(second, self.access_token))).toBe(second);
    for (const name of ['next-loop', 'next-endless']) {
      const { access_token: token } = await grant(name);
      let next = '/fhir/r4/Patient';
      if (name === 'next-loop') next = '/fhir/r4/Observation';
      const seen: string[] = [];
      for (let index = 0; index < 8; index += 1) {
        next = nextOf(await page(next, token))!;
        seen.push(next);
      }
      expect(new Set(seen).size < seen.length).toBe(name === 'next-loop');
    }
  });

  it('next-expired loses the session once', async () => {
    const { access_token: token } = await grant('next-expired');
    const second = nextOf(await page('/fhir/r4/Observation', token))!;
    const third = nextOf(await page(second, token))!;
    await get(running, third, token).expect(410);
    expect(await everyPage(running, '/fhir/r4/Observation', token)).toHaveLength(whole);
  });
});

it('totals are absent or wrong', async () => {
  expect((await page('/fhir/r4/Observation', (await grant('total-absent')).access_token)).total).toBeUndefined();
  expect((await page('/fhir/r4/Observation', (await grant('total-wrong')).access_token)).total).toBe(15);
});

it('pages are small, or heavy', async () => {
  expect(
    (await page('/fhir/r4/Observation?_count=500', (await grant('page-size-10')).access_token)).entry,
  ).toHaveLength(10);
  const heavy = await get(running, '/fhir/r4/Observation', (await grant('heavy-pages')).access_token).expect(200);
  expect((heavy.body as string).length).toBeGreaterThan(20_000_000);
});

describe('required parameters', () => {
  it.each([
    ['category-required', 'Observation', 'category=laboratory', 400],
    ['category-required-422', 'Observation', 'category=laboratory', 422],
    ['intent-required', 'MedicationRequest', 'intent=order', 400],
    ['beneficiary-required', 'Coverage', 'beneficiary=x', 400],
    ['patient-required', 'Encounter', '', 400],
  ])('%s', async (name, type, parameter, status) => {
    const { access_token: token, patient } = await grant(name);
    await get(running, `/fhir/r4/${type}`, token).expect(status);
    await get(running, `/fhir/r4/${type}?${parameter || `patient=${patient}`}`, token).expect(200);
  });

  it('patient-by-id', async () => {
    const { access_token: token, patient } = await grant('patient-by-id');
    await get(running, '/fhir/r4/Patient', token).expect(403);
    await get(running, `/fhir/r4/Patient/${patient}`, token).expect(200);
  });
});

it.each([
  ['type-forbidden', 'Condition', 403],
  ['type-missing', 'Procedure', 404],
  ['type-unimplemented', 'Immunization', 501],
])('%s refuses %s', async (name, type, status) => {
  const { access_token: token } = await grant(name);
  await get(running, `/fhir/r4/${type}`, token).expect(status);
  await get(running, '/fhir/r4/Observation', token).expect(200);
});

describe('failures that pass', () => {
  it.each([
    ['page-fails-once', 500],
    ['page-cut-short', -1],
    ['connection-closed', 0],
    ['html-errors', 502],
    ['retry-after-seconds', 429],
    ['retry-after-date', 429],
    ['retry-after-other-header', 429],
    ['retry-after-absent', 429],
    ['retry-after-long', 429],
    ['retry-after-invalid', 429],
    ['unavailable', 503],
  ])('%s', async (name, status) => {
    const { count, failures } = await insistently((await grant(name)).access_token);
    expect(count).toBe(whole);
    expect(failures.length).toBeGreaterThan(2);
    expect(new Set(failures)).toEqual(new Set([status]));
  });

  it('page-fails goes on failing', async () => {
    const { access_token: token } = await grant('page-fails');
    const second = nextOf(await page('/fhir/r4/Observation', token))!;
    for (let index = 0; index < 3; index += 1) await get(running, second, token).expect(500);
  });

  it('unauthorized-midway requires a new token after 20 requests; unauthorized-permanently also refuses the new one', async () => {
    for (const [name, after] of [
      ['unauthorized-midway', 200],
      ['unauthorized-permanently', 401],
    ] as const) {
      const { access_token: token, refresh_token: refreshToken } = await grant(name);
      for (let index = 0; index < 20; index += 1) await get(running, '/fhir/r4/Patient', token).expect(200);
      await get(running, '/fhir/r4/Patient', token).expect(401);
      running.clock.now++;
      const renewed = (await refresh(running, refreshToken!).expect(200)).body as Tokens;
      await get(running, '/fhir/r4/Patient', renewed.access_token).expect(after);
    }
  });

  it('concurrency-limit-2', async () => {
    const { access_token: token } = await grant('concurrency-limit-2');
    const answers = await Promise.all([1, 2, 3, 4].map(() => get(running, '/fhir/r4/Patient', token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
  });
});

it('$everything is absent, offered, or broken', async () => {
  const plain = await tokensFor(running, { hint: 'amelia-hart' });
  await get(running, `/fhir/r4/Patient/${plain.patient}/$everything`, plain.access_token).expect(404);
  const { access_token: token } = await grant('everything');
  const all = await everyPage(running, `/fhir/r4/Patient/${plain.patient}/$everything`, token);
  expect(all.filter(({ resourceType }) => resourceType === 'Observation')).toHaveLength(whole);
  const broken = await grant('everything-broken');
  await get(running, `/fhir/r4/Patient/${plain.patient}/$everything`, broken.access_token).expect(500);
  for (const release of ['dstu2', 'stu3', 'r4'])
    expect((await get(running, `/s/everything/fhir/${release}/metadata`)).body).toContain('Patient-everything');
});

it('_lastUpdated is ignored or refused', async () => {
  expect(
    await everyPage(
      running,
      '/fhir/r4/Observation?_lastUpdated=gt2100',
      (await grant('last-updated-ignored')).access_token,
    ),
  ).toHaveLength(whole);
  await get(
    running,
    '/fhir/r4/Observation?_lastUpdated=gt2100',
    (await grant('last-updated-refused')).access_token,
  ).expect(400);
  expect((await get(running, '/s/last-updated-refused/fhir/r4/metadata')).body).not.toContain('_lastUpdated');
});

it.each([
  ['all-forbidden', 403, 403],
  ['patient-missing', 404, 200],
  ['patient-forbidden', 403, 200],
  ['patient-html', 400, 200],
  ['searches-forbidden', 200, 403],
  ['searches-invalid', 200, 400],
  ['type-broken', 200, 500],
  ['patient-broken', 500, 200],
  ['type-html', 200, 200],
])('%s answers %i to reads of the Patient, and %i to searches of Condition', async (name, ofPatient, ofCondition) => {
  const { access_token: token, patient } = await grant(name);
  await get(running, `/fhir/r4/Patient/${patient}`, token).expect(ofPatient);
  await get(running, '/fhir/r4/Condition', token).expect(ofCondition);
});

it.each([
  ['error-in-page', 'AllergyIntolerance', /"resourceType":"Bundle".*"severity":"error"/],
  ['error-instead-of-page', 'AllergyIntolerance', /^\{"resourceType":"OperationOutcome".*"severity":"error"/],
  ['error-in-every-page', 'Observation', /^\{"resourceType":"OperationOutcome".*"severity":"error"/],
  ['nothing-found-outcome', 'Observation?code=none', /^\{"resourceType":"OperationOutcome".*"severity":"information"/],
  ['nothing-found-empty', 'Observation?code=none', /^$/],
  ['warning-in-page', 'Observation', /"resourceType":"Bundle".*"severity":"warning"/],
])('%s answers 200 to a search of %s', async (name, search, expected) => {
  const { access_token: token } = await grant(name);
  expect((await get(running, `/fhir/r4/${search}`, token).expect(200)).body).toMatch(expected);
});

it('nothing-found-204 answers without a body to a search that finds nothing', async () => {
  const { access_token: token } = await grant('nothing-found-204');
  await get(running, '/fhir/r4/Observation?code=none', token).expect(204);
  await get(running, '/fhir/r4/Observation', token).expect(200);
});

describe('what is inside', () => {
  const first = async (name: string, address: string): Promise<string> =>
    (await get(running, address, (await grant(name)).access_token).expect(200)).body as string;

  it.each([
    ['references-absolute', `"reference":"${origin}/fhir/r4/Practitioner/`],
    ['references-versioned', '/_history/1"'],
    ['references-other-origin', `"reference":"${elsewhere}/elsewhere/amelia-hart/fhir/Practitioner/`],
    ['references-not-found', '"reference":"Practitioner/gone-'],
    ['references-urn', '"reference":"urn:uuid:'],
    ['second-system', '"language":"en-GB"'],
    ['outcome-in-page', '"resourceType":"OperationOutcome"'],
    ['broken-resource', '{"id":"broken"'],
    ['resource-without-id', '{"text":"without id"}'],
    ['long-decimals', '"value":0.100000000000000000000000000001,'],
    ['entered-in-error', '"entered-in-error"'],
    ['unknown-elements', '"vendorStuff"'],
  ])('%s', async (name, expected) => {
    const body = await first(name, '/fhir/r4/Observation');
    expect(body).toContain(expected);
    expect(() => JSON.parse(body) as unknown).not.toThrow();
  });

  it('repeated-entries', async () => {
    const { entry } = JSON.parse(await first('repeated-entries', '/fhir/r4/Observation?_count=5')) as Bundle;
    expect(entry![5]).toEqual(entry![0]);
  });

  it('second-system differs when it is read too', async () => {
    const { access_token: token, patient } = await grant('second-system');
    expect((await get(running, `/fhir/r4/Patient/${patient}`, token)).body).toContain('"language":"en-GB"');
  });

  it('references-forbidden', async () => {
    const body = await first('references-forbidden', '/fhir/r4/Encounter');
    const reference = /Practitioner\/[^"]+/.exec(body)![0];
    await get(running, `/fhir/r4/${reference}`, (await grant('references-forbidden')).access_token).expect(403);
  });

  it('byte-order-mark and bad-utf8', async () => {
    expect(await first('byte-order-mark', '/fhir/r4/Observation')).toMatch(/^\uFEFF\{/);
    expect(await first('bad-utf8', '/fhir/r4/Observation')).toContain('\uFFFD');
  });

  it('accept-strict', async () => {
    const { access_token: token } = await grant('accept-strict', 'dstu2');
    const refused = await get(running, '/fhir/dstu2/Patient', token).set('Accept', 'application/json').expect(406);
    expect(refused.headers['content-type']).toContain('text/plain');
    await get(running, '/fhir/dstu2/Patient', token).set('Accept', 'application/json+fhir').expect(200);
  });
});

describe('attachments', () => {
  const attachment = async (name: string): Promise<{ url: string; contentType?: string; token: string }> => {
    const { access_token: token } = await grant(name);
    const { entry } = await page('/fhir/r4/DocumentReference', token);
    return {
      ...(entry![0]!.resource['content'] as { attachment: { url: string; contentType?: string } }[])[0]!.attachment,
      token,
    };
  };

  it.each([
    ['attachments-absolute', /^http:\/\/sandbox\.example\/fhir\/r4\/Binary\//],
    ['attachments-relative', /^files\//],
    ['attachments-parent-relative', /^\.\.\/r4\/files\//],
    ['attachments-other-origin', /^http:\/\/elsewhere\.example\/elsewhere\/amelia-hart\/files\//],
    ['attachments-private-host', /^http:\/\/169\.254\.169\.254\//],
  ])('%s', async (name, expected) => {
    expect((await attachment(name)).url).toMatch(expected);
  });

  it('are untyped, mistyped, gone, huge, or made anew', async () => {
    const untyped = await attachment('attachments-untyped');
    expect(untyped.contentType).toBeUndefined();
    expect((await get(running, `/fhir/r4/${untyped.url}`, untyped.token)).headers['content-type']).toBe(
      'application/octet-stream',
    );
    expect((await attachment('attachments-mistyped')).contentType).toBe('application/pdf');
    const gone = await attachment('attachments-gone');
    await get(running, `/fhir/r4/${gone.url}`, gone.token).expect(404);
    const huge = await attachment('attachments-huge');
    expect((await get(running, `/fhir/r4/${huge.url}`, huge.token)).body).toHaveLength(30 * 1024 * 1024);
    const anew = await attachment('attachments-regenerated');
    const reads = [
      await get(running, `/fhir/r4/${anew.url}`, anew.token),
      await get(running, `/fhir/r4/${anew.url}`, anew.token),
    ];
    expect(reads[0]!.body).not.toBe(reads[1]!.body);
  });
});

it('redirects to a private host and to another origin', async () => {
  expect(
    (
      await get(running, '/fhir/r4/Condition', (await grant('redirect-private-host')).access_token)
        .redirects(0)
        .expect(302)
    ).headers['location'],
  ).toMatch(/^http:\/\/169\.254\.169\.254\//);
  expect(
    (
      await get(running, '/fhir/r4/Condition', (await grant('redirect-other-origin')).access_token)
        .redirects(0)
        .expect(302)
    ).headers['location'],
  ).toMatch(/^http:\/\/elsewhere\.example\/elsewhere\//);
});

it('joins scenarios, and takes them from the path', async () => {
  const { access_token: token } = await tokensFor(running, {
    hint: 'amelia-hart+total-absent',
    prefix: '/s/next-relative',
  });
  const bundle = await page('/s/next-relative/fhir/r4/Observation', token);
  expect(bundle.total).toBeUndefined();
  expect(nextOf(bundle)).toMatch(/^\.\.\/r4\?/);
});

it('counts what clients do, and who brings a token to another host', async () => {
  const own = await startSandbox();
  const { access_token: token } = await tokensFor(own, { hint: 'person-5' });
  for (const search of ['', '', '?category=laboratory']) await get(own, `/fhir/r4/Observation${search}`, token);
  await get(own, '/elsewhere/person-5/files/1', token);
  await get(own, '/elsewhere/person-5/files/2');
  const seen = JSON.parse((await get(own, '/sandbox/observations/person-5')).body as string) as object;
  expect(seen).toEqual({
    requests: { 'search Observation': 3, elsewhere: 2 },
    searches: { Observation: 2 },
    statuses: { 200: 3 },
    tokens: { authorization_code: 1 },
    tokenRequests: { authorization_code: 1 },
    clientsRefused: 0,
    tokensLeaked: 1,
    mostAtOnce: 1,
  });
});
