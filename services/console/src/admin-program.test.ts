import { DeveloperConsoleUnderTest, password } from '../test/developer-console-under-test';
import { adminProgram } from './admin-program';

describe("the operator's commands", () => {
  let console: DeveloperConsoleUnderTest;
  beforeAll(async () => {
    console = await DeveloperConsoleUnderTest.start();
  });
  afterAll(() => console.stop());

  async function run(...words: string[]): Promise<string> {
    const lines: string[] = [];
    await adminProgram((line) => lines.push(line), console.settings).parseAsync(words, { from: 'user' });
    return lines.join('\n');
  }

  it('let an organisation have live clients, and no further ones', async () => {
    const { browser } = await console.newDeveloper();
    const { id } = (await browser.post('organisations', { name: 'Better Sleep' })).body;
    await run('organisation', 'allow-live', id);
    expect((await browser.get(`organisations/${id}`)).body.may_have_live_clients).toBe(true);
    expect(JSON.parse(await run('organisation', 'list')).entry).toMatchObject([{ id, members: 1 }]);
    await run('organisation', 'refuse-live', id);
    expect((await browser.get(`organisations/${id}`)).body.may_have_live_clients).toBe(false);
    await expect(run('organisation', 'allow-live', '00000000-0000-4000-8000-000000000000')).rejects.toThrow('none');
  });

  it('disable accounts, and help who has lost all second factors', async () => {
    const { browser, email, id } = await console.newDeveloper();
    await run('account', 'disable', id);
    expect((await browser.get('account')).status).toBe(401);
    const signIn = () => console.browser().post('sign-in', { email, password });
    expect((await signIn()).status).toBe(401);
    await run('account', 'enable', id);
    expect((await signIn()).body.next).toBe('second_factor');
    await console.pool.query('UPDATE account SET operator_since = now() WHERE id = $1', [id]);
    await run('account', 'reset-second-factors', id);
    expect((await signIn()).body).toEqual({ next: 'enrol_second_factor', second_factors: [] });
    expect(JSON.parse(await run('account', 'list')).entry).toContainEqual(
      expect.objectContaining({ id, email, operator_since: null }),
    );
  });

  it('report the keys', async () => {
    expect(JSON.parse(await run('keys', 'status', '--json'))).toMatchObject({ service: 'console', unknown: [] });
  });
});
