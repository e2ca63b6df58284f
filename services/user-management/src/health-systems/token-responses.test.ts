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

  describe('without a patient', () => {
    beforeEach(() => {
      scene.at.system.behaviour.patient = undefined;
      scene.at.system.behaviour.smart = { issuer: scene.at.system.url };
    });
    const idToken = (claims: object): void => {
      scene.at.system.behaviour.token = (_request: Request, response) => {
        response.json({ access_token: 'access-1', token_type: 'bearer', id_token: jwt(claims) });
        return true;
      };
    };
    const patientId = async (): Promise<string | null> => {
      const end = await outcome();
      return end === 'connected' ? (await forCollection()).patient_id : end;
    };

    it.each<[string, object | undefined, string[] | undefined, string]>([
      ['patient', { sub: 'account', patient: '-20140000008325' }, ['other'], '-20140000008325'],
      ['fhirUser', { sub: 'account', fhirUser: 'https://ehr.example/fhir/Patient/p-1' }, ['other'], 'p-1'],
      ['nobody, and one is found', { sub: 'account' }, ['p-2'], 'p-2'],
      ['nobody, and one is found twice', { sub: 'account' }, ['p-2', 'p-2'], 'p-2'],
      ['nobody, as it refuses, and one is found', undefined, ['p-2'], 'p-2'],
      ['nobody, and several are found', { sub: 'account' }, ['p-2', 'p-3'], 'no_patient'],
      ['nobody, and none is found', { sub: 'account' }, [], 'no_patient'],
      ['nobody, and the search is refused', { sub: 'account' }, undefined, 'no_patient'],
      ['several patients', { patient: ['p-1', 'p-2'] }, undefined, 'no_patient'],
      ['a practitioner, of whom one patient is found', { fhirUser: 'Practitioner/d' }, ['p-2'], 'no_patient'],
    ])(
      'is that of the userinfo endpoint, or the only one: it names %s',
      async (_what, userinfo, patients, expected) => {
        Object.assign(scene.at.system.behaviour, { userinfo, patients });
        expect(await patientId()).toBe(expected);
      },
    );

    it('is not that of a search when the ID token names a relative', async () => {
      scene.at.system.behaviour.patients = ['p-2'];
      idToken({ fhirUser: 'https://ehr.example/fhir/RelatedPerson/mother' });
      expect(await patientId()).toBe('no_patient');
      idToken({ sub: 'Patient/p-4' });
      expect(await patientId()).toBe('p-4');
    });

    it('is found at the userinfo endpoint that the SMART configuration names', async () => {
      const { system } = scene.at;
      system.behaviour.smart = { userinfo_endpoint: `${system.url}/userinfo` };
      system.behaviour.userinfo = { patient: 'p-5' };
      expect(await patientId()).toBe('p-5');
    });
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
