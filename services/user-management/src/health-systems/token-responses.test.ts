import type { ConnectionForCollection } from '@tributary/contracts';
import type { Request, Response } from 'express';
import { connectionScene } from '../../test/connection-scene';

const jwt = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

describe('a code exchange', () => {
  const scene = connectionScene();

  const outcome = async (): Promise<string | null> => {
    const { searchParams } = await scene.connect();
    return searchParams.get('success') === 'true' ? 'connected' : searchParams.get('error');
  };
  /** The responses to the first token requests; later ones succeed. */
  const respond = (...responses: ((response: Response) => unknown)[]): void => {
    scene.at.system.behaviour.token = (_request: Request, response) => {
      const next = responses.shift();
      next?.(response);
      return next !== undefined;
    };
  };
  const forCollection = async (): Promise<ConnectionForCollection> =>
    scene.forCollection((await scene.connections())[0]?.connection_id ?? '');

  it.each<[string, (response: Response) => unknown]>([
    ['500', (response) => response.status(500).send('oops')],
    ['503', (response) => response.status(503).json({ error: 'temporarily_unavailable' })],
    ['no response', (response) => response.destroy()],
  ])('is repeated once after %s', async (_what, failure) => {
    respond(failure);
    expect(await outcome()).toBe('connected');
    expect(scene.at.system.tokenRequests).toHaveLength(2);
  });

  it('fails for the first reason when the code was consumed', async () => {
    respond(
      (response) => response.status(500).send('oops'),
      (response) => response.status(400).json({ error: 'invalid_grant' }),
    );
    expect(await outcome()).toBe('system_unavailable');
    expect(scene.at.system.tokenRequests).toHaveLength(2);
  });

  it('is repeated no more than once, and not after a refusal', async () => {
    const failure = (response: Response): unknown => response.status(500).send('oops');
    respond(failure, failure, failure);
    expect(await outcome()).toBe('system_unavailable');
    expect(scene.at.system.tokenRequests).toHaveLength(2);
    respond((response) => response.status(400).json({ error: 'invalid_grant' }));
    expect(await outcome()).toBe('expired');
    expect(scene.at.system.tokenRequests).toHaveLength(3);
  });

  it.each<[string, object, Partial<ConnectionForCollection>]>([
    ['a patient as URL', { patient: 'https://ehr.example/fhir/Patient/p-1/_history/3' }, { patient_id: 'p-1' }],
    [
      'a child, for whom the mother signs in',
      { patient: 'child', id_token: jwt({ fhirUser: 'https://ehr.example/fhir/Patient/mother' }) },
      { patient_id: 'child' },
    ],
    ['a token type in lower case', { patient: 'p-1', token_type: 'bearer' }, { patient_id: 'p-1' }],
    ['a lifetime as text', { patient: 'p-1', expires_in: '3600' }, { patient_id: 'p-1' }],
    ['no lifetime', { patient: 'p-1' }, { patient_id: 'p-1' }],
    [
      'a practice in the access token',
      { patient: 'p-1', access_token: jwt({ ah_practice: 'a-1.Practice-7' }) },
      { patient_id: 'p-1', search_parameters: { 'ah-practice': 'Organization/a-1.Practice-7' } },
    ],
    ['the patient in the access token', { access_token: jwt({ local_patient_id: 'v-7' }) }, { patient_id: 'v-7' }],
  ])('may give %s', async (_what, members, expected) => {
    respond((response) => response.json({ access_token: 'a', token_type: 'Bearer', ...members }));
    expect(await outcome()).toBe('connected');
    expect(await forCollection()).toMatchObject({ search_parameters: {}, ...expected });
    const [grant] = await scene.service.sql(
      'SELECT extract(epoch FROM expires_at - obtained_at)::int AS seconds FROM health_system_grant WHERE service_user_id = $1',
      [scene.person.serviceUserId],
    );
    expect(grant?.['seconds']).toBe('expires_in' in members ? 3600 : null);
  });

  it.each([[['p-1', 'p-2']], ['https://ehr.example/fhir/Practitioner/1'], [undefined]])(
    'fails without a usable patient: %j',
    async (patient) => {
      respond((response) => response.json({ access_token: 'a', token_type: 'Bearer', patient }));
      expect(await outcome()).toBe('no_patient');
    },
  );
});
