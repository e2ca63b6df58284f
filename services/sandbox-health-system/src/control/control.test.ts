import request from 'supertest';
import { everyPage, get, startSandbox, tokensFor } from '../../test/smart-client';

it('changes a record, so that a search for the latest changes finds something', async () => {
  const running = await startSandbox();
  const { access_token: token, patient } = await tokensFor(running, { hint: 'grace-tanaka' });
  const since = new Date(running.clock.now).toISOString();
  running.clock.now += 1_000;
  const put = (resource: string) =>
    request(running.app)
      .put('/sandbox/patients/grace-tanaka/r4')
      .set('Content-Type', 'application/json')
      .send(resource);
  const text = (value: string) =>
    `{"resourceType":"Observation","id":"new","status":"final","code":{"text":"weight"},"subject":{"reference":"Patient/${patient}"},"valueQuantity":{"value":${value}}}`;

  expect((await put(text('60.50')).expect(201)).body).toEqual({ type: 'Observation', id: 'new', versionId: '1' });
  expect(await everyPage(running, `/fhir/r4/Observation?_lastUpdated=gt${since}`, token)).toHaveLength(1);
  expect((await put(text('61.00')).expect(200)).body).toMatchObject({ versionId: '2' });
  const read = await get(running, '/fhir/r4/Observation/new', token).expect(200);
  expect(read.body).toContain('"value":61.00');
  expect(read.headers['etag']).toBe('W/"2"');
  await request(running.app).delete('/sandbox/patients/grace-tanaka/r4/Observation/new').expect(204);
  await get(running, '/fhir/r4/Observation/new', token).expect(404);

  await put('no resource').expect(400);
  await request(running.app)
    .put('/sandbox/patients/nobody/r4')
    .set('Content-Type', 'application/json')
    .send('{}')
    .expect(404);
});

it('returns and deletes its observations', async () => {
  const running = await startSandbox();
  await tokensFor(running, { hint: 'person-9' });
  expect((await request(running.app).get('/sandbox/observations').expect(200)).body).toHaveProperty(
    'person-9.tokens.authorization_code',
    1,
  );
  await request(running.app).delete('/sandbox/observations').expect(204);
  expect((await request(running.app).get('/sandbox/observations').expect(200)).body).toEqual({});
});

it('returns the requests of each host and how many were concurrent', async () => {
  const running = await startSandbox();
  const { access_token: token } = await tokensFor(running, { hint: 'person-9+slow' });
  await request(running.app).delete('/sandbox/observations').expect(204);
  const ask = (host: string) => get(running, '/fhir/r4/Condition', token).set('Host', host);
  await Promise.all([ask('one.example'), ask('one.example'), ask('other.example')]);
  await ask('one.example');
  expect((await request(running.app).get('/sandbox/hosts').expect(200)).body).toEqual({
    'one.example': { requests: 3, mostAtOnce: 2 },
    'other.example': { requests: 1, mostAtOnce: 1 },
  });
});

it('responds to reads of deleted resources and to conditional reads as the scenario defines', async () => {
  const running = await startSandbox();
  const tokenOf = async (scenario: string): Promise<string> =>
    (await tokensFor(running, { hint: `person-11+${scenario}` })).access_token;
  const [gone, conditional, searchOnly] = [
    await tokenOf('deleted-gone'),
    await tokenOf('conditional-reads'),
    await tokenOf('reads-not-found'),
  ];
  const [first, second] = await everyPage(running, '/fhir/r4/Condition', gone);
  const read = (id: unknown, token: string) => get(running, `/fhir/r4/Condition/${String(id)}`, token);
  await read(second!['id'], searchOnly).expect(404);
  expect(await everyPage(running, '/fhir/r4/Condition', searchOnly)).toContainEqual(second);
  await read(second!['id'], conditional)
    .set('If-Modified-Since', new Date(running.clock.now).toUTCString())
    .expect(304);
  await read(second!['id'], conditional).set('If-Modified-Since', new Date(0).toUTCString()).expect(200);
  await request(running.app)
    .delete(`/sandbox/patients/person-11/r4/Condition/${String(first!['id'])}`)
    .expect(204);
  await read(first!['id'], gone).expect(410);
  await read(first!['id'], conditional).expect(404);
  await read('unknown', gone).expect(404);
});
