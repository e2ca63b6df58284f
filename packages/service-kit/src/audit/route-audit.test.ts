import { waitUntil } from '@tributary/test-environment';
import { type AuditTrail, AuditUnavailable, type NewAuditEvent, noAuditTrail } from '@tributary/audit-log';
import type { Express } from 'express';
import request from 'supertest';
import { Api } from '../api/api';
import { type Authentication, anyone } from '../api/authentication';
import { serviceErrorFormat } from '../api/error-formats';
import { HttpError } from '../api/http-error';
import { createLog } from '../runtime/log';
import { proxyRanges } from '../transport/client-address';
import { claimClient } from './claimed-agent';

/** A user of a client, or a service. */
const authentication: Authentication<unknown> = {
  scheme: 'bearer',
  authenticate: (request) => {
    const { authorization } = request.headers;
    if (authorization === 'wrong') {
      claimClient(request, String(request.headers['client_id']));
      return Promise.reject(new HttpError('invalid_client', 'client_id or client_secret is wrong'));
    }
    if (authorization === 'developer') return Promise.resolve({ client_id: 'app', developer: 'jane-1' });
    return Promise.resolve(authorization === 'service' ? 'search' : { serviceUserId: 42, clientId: 'app' });
  },
};

/** An audited API. @param record what becomes of its events */
function apiWith(record: (event: NewAuditEvent) => Promise<string>, options: Partial<AuditTrail> = {}): Express {
  const trail: AuditTrail = {
    record,
    recordRefused: async (event) => void (await record(event)),
    count: () => undefined,
    ...options,
  };
  const route = { method: 'get', authentication, summary: 'S', responses: { 200: { description: 'ok' } } } as const;
  return new Api({
    title: 'T',
    description: 'D',
    serverUrl: 'http://localhost',
    errorFormat: serviceErrorFormat,
    log: createLog('test', 'silent'),
    audit: { trail, trustedProxies: proxyRanges.parse('127.0.0.0/8') },
  })
    .route({ ...route, path: '/read', operationId: 'read', audit: { kind: 'user.read', action: 'R' } }, ({ audit }) => {
      audit({ entities: [{ count: 3 }] });
      return { ok: true };
    })
    .route(
      {
        ...route,
        method: 'delete',
        path: '/users/{id}',
        operationId: 'delete',
        audit: { kind: 'user.deleted', action: 'D' },
      },
      ({ audit, response, request: { params } }) => {
        audit({ subject: Number(params['id']) });
        if (params['id'] === '404') throw new HttpError('not_found', 'there is no such user');
        if (params['id'] === '500') throw new Error('broken');
        response.status(204);
        return undefined;
      },
    )
    .route(
      {
        ...route,
        path: '/visit',
        operationId: 'visit',
        authentication: anyone,
        audit: { kind: 'connect.begun', action: 'E' },
      },
      ({ audit }) => {
        audit({ clientId: 'app' });
        throw new HttpError('invalid_token', 'the token is wrong');
      },
    )
    .route(
      { ...route, path: '/answer', operationId: 'answer', audit: { kind: 'connect.begun', action: 'E' } },
      ({ audit }) => {
        audit({ kind: 'connect.finished' });
        audit({ subject: 7 });
        return { ok: true };
      },
    )
    .route({ ...route, path: '/public', operationId: 'public', audit: { none: 'for the test' } }, () => ({ ok: true }))
    .express();
}

function recording(): { events: NewAuditEvent[]; app: Express } {
  const events: NewAuditEvent[] = [];
  const app = apiWith((event) => {
    events.push(event);
    return Promise.resolve('id');
  });
  return { events, app };
}

it('records who called which route from where, and what the handler adds', async () => {
  const { events, app } = recording();
  await request(app)
    .get('/read')
    .set({ 'X-Request-Id': 'r-1', 'X-Forwarded-For': '192.0.2.7', 'User-Agent': 'okhttp/4.9 (Jane Doe; phone)' })
    .expect(200, { ok: true });
  await request(app).get('/read').set({ Authorization: 'service', 'User-Agent': '' }).expect(200);
  await request(app).get('/public').expect(200);
  await request(app).get('/read').set({ Authorization: 'developer' }).expect(200);
  expect(events).toEqual([
    {
      kind: 'user.read',
      action: 'R',
      outcome: 'success',
      status: 200,
      requestId: 'r-1',
      agent: { clientId: 'app', serviceUserId: 42 },
      address: '192.0.2.7',
      userAgent: 'okhttp/4.9',
      subject: 42,
      entities: [{ count: 3 }],
    },
    expect.objectContaining({ agent: { service: 'search' } }),
    expect.objectContaining({ agent: { clientId: 'app', developer: 'jane-1' } }),
  ]);
  expect(events[1]).not.toHaveProperty('subject');
  expect(events[1]).not.toHaveProperty('userAgent');
});

it('refuses a route that names no event, unless anyone may call it', () => {
  const api = new Api({
    title: 'T',
    description: 'D',
    serverUrl: 'http://localhost',
    errorFormat: serviceErrorFormat,
    log: createLog('test', 'silent'),
    audit: { trail: noAuditTrail, trustedProxies: proxyRanges.parse('127.0.0.0/8') },
  });
  const route = {
    method: 'post',
    path: '/records',
    operationId: 'r',
    summary: 'S',
    responses: { 200: { description: 'ok' } },
  } as const;
  expect(() => api.route({ ...route, authentication }, () => ({}))).toThrow(/post \/records names no audit event/);
  api.route({ ...route, authentication: anyone }, () => ({}));
});

it('records the outcome and the status of each call', async () => {
  const { events, app } = recording();
  for (const [id, status] of [
    ['1', 204],
    ['404', 404],
    ['500', 500],
  ])
    await request(app).delete(`/users/${id}`).expect(Number(status));
  expect(events.map(({ outcome, status, errorCode, subject }) => [outcome, status, errorCode, subject])).toEqual([
    ['success', 204, undefined, 1],
    ['refused', 404, 'not_found', 404],
    ['failed', 500, 'internal_error', 500],
  ]);
});

it('sends no response before the event is durable', async () => {
  let confirm: ((id: string) => void) | undefined;
  const app = apiWith(() => new Promise((resolve) => (confirm = resolve)));
  let isAnswered = false;
  const answer = request(app)
    .get('/read')
    .then((response) => {
      isAnswered = true;
      return response.status;
    });
  const confirmed = await waitUntil(() => confirm);
  // Another request is answered meanwhile.
  await request(app).get('/public').expect(200);
  expect(isAnswered).toBe(false);
  confirmed('id');
  expect(await answer).toBe(200);
});

it('refuses what cannot be recorded; whether a write was carried out is not known', async () => {
  const app = apiWith(() => Promise.reject(new AuditUnavailable('for the test')));
  const read = await request(app).get('/read').expect(503);
  expect(read.text).not.toContain('ok');
  const written = await request(app).delete('/users/1').expect(502);
  expect(written.text).toContain('it is not known whether the request was carried out');
});

it('records refused credentials before the response, with the client that they name', async () => {
  const refusals: NewAuditEvent[] = [];
  let isDurable: () => void = () => undefined;
  const app = apiWith(() => Promise.reject(new Error('an event without the limit of refusals')), {
    recordRefused: (event) => new Promise((resolve) => void (refusals.push(event), (isDurable = resolve))),
  });
  const headers = { Authorization: 'wrong', 'X-Forwarded-For': '192.0.2.7' };
  for (const [path, clientId] of [
    ['/read', 'app'],
    ['/read', 'no client id'],
    ['/visit', 'ignored'],
  ] as const) {
    let isAnswered = false;
    const answer = request(app)
      .get(path)
      .set({ ...headers, client_id: clientId })
      .then((response) => {
        isAnswered = true;
        return response.status;
      });
    const count = refusals.length;
    await waitUntil(() => (refusals.length > count ? true : undefined));
    expect(isAnswered).toBe(false);
    isDurable();
    expect(await answer).toBe(401);
  }
  const refused = { action: 'E', outcome: 'refused', status: 401, address: '192.0.2.7' };
  expect(refusals).toEqual([
    { ...refused, kind: 'token.refused', errorCode: 'invalid_client', agent: { clientId: 'app' } },
    { ...refused, kind: 'token.refused', errorCode: 'invalid_client', agent: {} },
    expect.objectContaining({ ...refused, kind: 'connect.begun', agent: { clientId: 'app' } }),
  ]);
});

it('records another kind where the handler names what has happened', async () => {
  const { events, app } = recording();
  await request(app).get('/answer').expect(200);
  expect(events).toMatchObject([{ kind: 'connect.finished', action: 'E', outcome: 'success', subject: 7 }]);
});

it('builds no event for a trail that keeps nothing', async () => {
  const app = apiWith(() => Promise.reject(new Error('an event is built')), { keepsNothing: true });
  await request(app).get('/read').expect(200, { ok: true });
  await request(app).delete('/users/404').expect(404);
});
