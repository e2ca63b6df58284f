import { AuthUnderTest } from '../testing/auth-under-test';
import { clientCommands } from './client-commands';

describe("the operator's commands", () => {
  let auth: AuthUnderTest;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
  });
  afterAll(() => auth.stop());

  /** What the command prints; rejects with what it complains of. */
  async function run(...words: string[]): Promise<string> {
    const printed: string[] = [];
    const complaints: string[] = [];
    const program = clientCommands({ withClients: (work) => work(auth.clients), print: (text) => printed.push(text) });
    for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
      command.exitOverride().configureOutput({ writeErr: (text) => complaints.push(text), outputError: (text) => complaints.push(text) });
    }
    try {
      await program.parseAsync(words, { from: 'user' });
    } catch (error) {
      throw new Error(complaints.join('') || String(error));
    }
    return printed.join('\n');
  }
  const create = (...words: string[]): Promise<string> => run('client', 'create', '--name', 'Diary', '--redirect-uri', 'https://diary.example.org/back', ...words);

  it('create a client with new credentials, which then work', async () => {
    const created = JSON.parse(await create('--redirect-uri', 'http://localhost:3000/cb', '--redirect-uri', 'http://localhost:3000/cb', '--json'));
    expect(created).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      client_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      name: 'Diary',
      redirect_uris: ['https://diary.example.org/back', 'http://localhost:3000/cb'],
    });
    expect(await auth.clients.authenticate(created.client_id, created.client_secret)).toMatchObject({ name: 'Diary' });
  });

  it('print the same for people', async () => {
    const text = await create();
    expect(text).toMatch(/^name {11}Diary\nclient_id {6}[0-9a-f]{24}\nclient_secret {2}[\w-]{43}\nredirect_uri {3}https:\/\/diary/);
  });

  it('create a client with given credentials, as often as a start script wants, bringing it up to date', async () => {
    const given = ['--client-id', 'demo', '--client-secret', 's'.repeat(43), '--json'];
    const first = JSON.parse(await create(...given));
    expect(first).toMatchObject({ client_id: 'demo', client_secret: 's'.repeat(43) });
    await run('client', 'create', '--name', 'Demo', '--redirect-uri', 'http://127.0.0.1:5000/cb', ...given);
    expect(await auth.clients.find('demo')).toEqual({ client_id: 'demo', name: 'Demo', redirect_uris: ['http://127.0.0.1:5000/cb'] });
    await expect(create('--client-id', 'demo', '--client-secret', 't'.repeat(43))).rejects.toThrow('taken');
    expect(await auth.clients.authenticate('demo', 's'.repeat(43))).toMatchObject({ name: 'Demo' });
    const atOnce = ['--client-id', 'racing', '--client-secret', 's'.repeat(43), '--json'];
    expect(new Set(await Promise.all([create(...atOnce), create(...atOnce)])).size).toBe(1);
  });

  it('list clients without their secrets', async () => {
    const secret = JSON.parse(await create('--json')).client_secret as string;
    const json = await run('client', 'list', '--json');
    const [first] = JSON.parse(json) as object[];
    expect(Object.keys(first!)).toEqual(['client_id', 'name', 'redirect_uris', 'created_at']);
    expect(json + (await run('client', 'list'))).not.toContain(secret);
  });

  it('rotate a secret: the old one ends at once', async () => {
    const created = JSON.parse(await create('--json'));
    const rotated = JSON.parse(await run('client', 'rotate-secret', created.client_id, '--json'));
    expect(rotated).toEqual({ ...created, client_secret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(await auth.clients.authenticate(created.client_id, created.client_secret)).toBeUndefined();
    expect(await auth.clients.authenticate(created.client_id, rotated.client_secret)).toMatchObject({ client_id: created.client_id });
    await expect(run('client', 'rotate-secret', 'nobody')).rejects.toThrow('no such client');
  });

  it.each([
    ['a name missing', ['--redirect-uri', 'https://a.example/'], '--name'],
    ['a redirect_uri missing', ['--name', 'A'], '--redirect-uri'],
    ['an empty name', ['--name', ' ', '--redirect-uri', 'https://a.example/'], '1 to 200'],
    ['an id without a secret', ['--name', 'A', '--redirect-uri', 'https://a.example/', '--client-id', 'a'], 'go together'],
    ['a weak secret', ['--name', 'A', '--redirect-uri', 'https://a.example/', '--client-id', 'a', '--client-secret', 'secret'], '32 to 128'],
    ['an odd id', ['--name', 'A', '--redirect-uri', 'https://a.example/', '--client-id', 'a:b', '--client-secret', 's'.repeat(43)], '1 to 128'],
  ])('refuse %s', async (_case, words, complaint) => {
    await expect(run('client', 'create', ...words)).rejects.toThrow(complaint);
  });
});
