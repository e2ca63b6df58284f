import { Writable } from 'node:stream';
import { pino } from 'pino';
import request from 'supertest';
import { connect, connectionsOf, newHealthSystem, newPerson } from '../../test/connect-flow';
import { runForTest } from '../../test/running-service';

it('writes no token, code, state, identifier of the client or patient id into the log', async () => {
  let lines = '';
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, next) => {
      lines += chunk.toString();
      next();
    },
  });
  const service = await runForTest({}, pino({ level: 'debug' }, sink));
  try {
    const person = await newPerson(service);
    const at = await newHealthSystem(service);
    await connect(service, person, at, { state: 'state-of-the-client' });
    at.system.behaviour.authorize = 'server_error';
    await connect(service, person, at, { state: 'state-of-the-client' });
    at.system.behaviour.smart = null;
    at.system.behaviour.metadata = false;
    await connect(service, person, at);
    await connectionsOf(service, person);
    await request(service.app)
      .post('/user-management/v1/user')
      .query({ app_user_id: 'someone-else', ...person.clientHeaders });
    await at.system.close();
    expect(lines).toContain('"msg":"connected"');
    expect(lines).toContain('an authorization failed');
    const [authorization] = at.system.authorizations;
    const [tokenRequest] = at.system.tokenRequests;
    const secrets = [
      person.token,
      person.clientHeaders.client_secret,
      'state-of-the-client',
      'someone',
      'patient-77',
      'access-',
      'refresh-',
      authorization?.['state'] ?? '?',
      tokenRequest?.['code'] ?? '?',
      tokenRequest?.['code_verifier'] ?? '?',
    ];
    for (const secret of secrets) expect(lines).not.toContain(secret);
  } finally {
    await service.stop();
  }
});
