import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthUnderTest } from '../../test/auth-under-test';
import { OperatorCommands } from '../../test/operator-commands';

describe("the operator's commands for the settings of a client", () => {
  let auth: AuthUnderTest;
  const folder = mkdtempSync(join(tmpdir(), 'client-settings-'));
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    return auth.stop();
  });
  const { run, runIn, create } = new OperatorCommands(() => auth);

  function file(content: unknown): string {
    const path = join(folder, `${randomUUID()}.json`);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  it('set the types that are requested from health systems, and change them', async () => {
    const client = JSON.parse(await create('--types', 'Observation,Condition,Observation', '--json'));
    expect(client).toMatchObject({ requested_types: ['Condition', 'Observation', 'Patient'] });
    const types = async (): Promise<unknown> => (await auth.clients.find(client.client_id))?.requested_types;
    expect(await types()).toEqual(['Condition', 'Observation', 'Patient']);
    const set = (value: string): Promise<string> => run('client', 'set', client.client_id, '--types', value);
    expect(await set('MedicationOrder')).toContain('types          MedicationOrder, Patient');
    expect(await types()).toEqual(['MedicationOrder', 'Patient']);
    expect(await set('all')).not.toContain('types');
    expect(await types()).toBeUndefined();
    for (const value of ['', 'patient', 'Observation;Condition', 'Observation, Condition', '*'])
      await expect(set(value)).rejects.toThrow('separated by commas');
    await expect(set('Observation,Diagnosis')).rejects.toThrow('FHIR has no resource type Diagnosis');
  });

  it('set whether the record of a user holds one person or several, and change it', async () => {
    const client = JSON.parse(await create('--people', 'several', '--json'));
    const people = async (): Promise<unknown> => (await auth.clients.find(client.client_id))?.people;
    expect([client.people, await people()]).toEqual(['several', 'several']);
    expect(await run('client', 'set', client.client_id, '--people', 'one')).toContain('people         one');
    expect(await people()).toBe('one');
    await run('client', 'set', client.client_id, '--consent-days', '7');
    expect(await people()).toBe('one');
    await expect(create('--people', 'two')).rejects.toThrow('Allowed choices are one, several');
  });

  it('set the logo and remove it, without printing it', async () => {
    const logo = join(folder, 'logo.svg');
    writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const client = JSON.parse(await create('--logo', logo, '--json'));
    expect(client).toMatchObject({ logo: true });
    const found = async (): Promise<unknown> => (await auth.clients.find(client.client_id))?.logo;
    const stored = 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=';
    expect(await found()).toBe(stored);
    const set = (...words: string[]): Promise<string> => run('client', 'set', client.client_id, ...words);
    expect(await set('--consent-days', '7')).toContain('\nlogo           yes');
    expect(await found()).toBe(stored);
    const listed = await run('client', 'list', '--json');
    expect(listed).not.toContain('data:');
    expect(JSON.parse(listed)).toContainEqual(expect.objectContaining({ client_id: client.client_id, logo: true }));
    for (const [path, complaint] of [
      [join(folder, 'nowhere.svg'), 'nowhere.svg cannot be read: no such file or directory.'],
      [folder, 'cannot be read: illegal operation on a directory.'],
      ['', 'cannot be read'],
      [file('{}'), 'The file is no PNG, JPEG, WebP or SVG image.'],
    ] as const)
      await expect(set('--logo', path)).rejects.toThrow(complaint);
    expect(await found()).toBe(stored);
    expect(await set('--logo', 'none')).not.toContain('logo');
    expect(await found()).toBeUndefined();
  });

  it('set the origins whose pages may show the connect pages in a frame, and remove them', async () => {
    const origin = ['--frame-origin', 'https://app.example.org'];
    const other = ['--frame-origin', 'https://beta.example.org:8443'];
    const client = JSON.parse(await create(...origin, ...other, ...origin, '--json'));
    const found = async (): Promise<unknown> => (await auth.clients.find(client.client_id))?.frame_origins;
    expect(client).toMatchObject({ frame_origins: ['https://app.example.org', 'https://beta.example.org:8443'] });
    expect(await found()).toEqual(client.frame_origins);
    const set = (...words: string[]): Promise<string> => run('client', 'set', client.client_id, ...words);
    expect(await set(...other)).toContain('\nframe_origin   https://beta.example.org:8443');
    expect(await found()).toEqual(['https://beta.example.org:8443']);
    expect(JSON.parse(await run('client', 'list', '--json'))).toContainEqual(
      expect.objectContaining({ client_id: client.client_id, frame_origins: ['https://beta.example.org:8443'] }),
    );
    await expect(set('--frame-origin', 'https://app.example.org/')).rejects.toThrow('It must be an origin such as');
    const local = ['client', 'set', client.client_id, '--frame-origin', 'http://localhost:3000'];
    await expect(run(...local)).rejects.toThrow('It must be https, or http on localhost in sandbox mode.');
    for (const words of [
      [...origin, '--frame-origin', 'none'],
      ['--frame-origin', 'none', ...origin],
    ])
      await expect(set(...words)).rejects.toThrow('It is none or origins.');
    const many = Array.from({ length: 21 }, (_, index) => ['--frame-origin', `https://${index}.example.org`]);
    await expect(set(...many.flat())).rejects.toThrow('There can be 20 at most.');
    expect(await found()).toEqual(['https://beta.example.org:8443']);
    expect(await runIn(true, local)).toContain('\nframe_origin   http://localhost:3000');
    expect(await set('--frame-origin', 'none')).not.toContain('frame_origin');
    expect(await found()).toBeUndefined();
  });

  it('set the organisation, and remove it', async () => {
    const [one, other] = ['5c0e4b0e-6a57-4d0c-9d3c-3a4f7f1f0a11', '5c0e4b0e-6a57-4d0c-9d3c-3a4f7f1f0a12'];
    const client = JSON.parse(await create('--organisation', one, '--json'));
    expect(client).toMatchObject({ organisation_id: one });
    const found = async (): Promise<unknown> => (await auth.clients.find(client.client_id))?.organisation_id;
    const set = (...words: string[]): Promise<string> => run('client', 'set', client.client_id, ...words);
    expect(await set('--organisation', other)).toContain(`\norganisation   ${other}`);
    expect(await set('--people', 'several')).toContain(`\norganisation   ${other}`);
    expect(await found()).toBe(other);
    expect(await set('--no-organisation')).not.toContain('organisation');
    expect(await found()).toBeUndefined();
    for (const id of ['', '7', one.slice(1)])
      await expect(set('--organisation', id)).rejects.toThrow('It must be the id of an organisation.');
    await expect(create('--no-organisation')).rejects.toThrow('unknown option');
  });

  it('set for how long users consent, and change it', async () => {
    const client = JSON.parse(await create('--consent-days', '30', '--json'));
    expect(client).toMatchObject({ consent_days: 30 });
    const found = (): Promise<unknown> => auth.clients.find(client.client_id);
    expect(await found()).toMatchObject({ consent_days: 30 });
    expect(await run('client', 'set', client.client_id, '--consent-days', '3650')).toContain('consent_days   3650');
    expect(await found()).toMatchObject({ consent_days: 3650 });
    const unlimited = JSON.parse(await run('client', 'set', client.client_id, '--consent-days', 'unlimited', '--json'));
    expect([unlimited, await found()]).toEqual([
      expect.not.objectContaining({ consent_days: expect.anything() }),
      expect.not.objectContaining({ consent_days: expect.anything() }),
    ]);
    const { client_id, client_secret } = client;
    const again = ['--client-id', client_id, '--client-secret', client_secret, '--json'];
    expect(JSON.parse(await create(...again, '--consent-days', '7'))).toMatchObject({ consent_days: 7 });
    expect(JSON.parse(await create(...again))).toMatchObject({ consent_days: 7 });
    expect(await run('client', 'set', client_id, '--consent-days', '0')).toContain('consent_days   0');
    expect(await found()).toMatchObject({ consent_days: 0 });
    for (const days of ['', '3651', '1.5', '-1', 'forever'])
      await expect(run('client', 'set', client_id, '--consent-days', days)).rejects.toThrow('from 0 to 3650');
    await expect(run('client', 'set', client_id)).rejects.toThrow('give at least one of --name, --redirect-uri');
    await expect(run('client', 'set', 'unknown', '--consent-days', '7')).rejects.toThrow('there is no such client');
  });
});
