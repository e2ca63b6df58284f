import type { Response } from 'supertest';
import {
  type ConsoleBrowser,
  type Developer,
  DeveloperConsoleUnderTest,
  newEmail,
} from '../../../test/developer-console-under-test';
import type { Role } from '../schemas';
import { requireRole } from './roles';

describe('organisations', () => {
  let console: DeveloperConsoleUnderTest;
  let people: Record<Role | 'stranger', Developer>;
  beforeAll(async () => {
    console = await DeveloperConsoleUnderTest.start();
    ({ people } = await console.newTeam());
  });
  afterAll(() => console.stop());

  /** A new organisation of the owner, with these further members. */
  const newOrganisation = async (...members: [Developer, Role][]): Promise<string> => {
    const { body, status } = await people.owner.browser.post('organisations', { name: 'Better Sleep' });
    expect(status).toBe(201);
    for (const [developer, role] of members) await console.join(body.id, developer, role);
    return body.id;
  };
  const statuses = (answers: Response[]): number[] => answers.map(({ status }) => status).sort();

  it('invite by mail, and are joined with the invited address, once', async () => {
    const { owner, stranger } = people;
    const id = await newOrganisation();
    const email = newEmail();
    const invited = await owner.browser.post(`organisations/${id}/invitations`, { email, role: 'developer' });
    expect(invited.body).toMatchObject({ email, role: 'developer', invited_by: 'Ada Hart' });
    const token = await console.tokenTo(email);
    const { text } = (await console.mailsTo(email)).at(-1)!;
    expect(text).toContain(`https://tributary.test/console/invitation#token=${token}`);
    const read = await console.browser().post('invitations/read', { token });
    expect(read.body).toMatchObject({ organisation: 'Better Sleep', email, role: 'developer', invited_by: 'Ada Hart' });
    const foreign = await stranger.browser.post('invitations/accept', { token });
    expect([foreign.status, foreign.body.error_code]).toEqual([403, 'invitation_of_another']);

    await console.pool.query('UPDATE account SET email = $2 WHERE id = $1', [stranger.id, email.toUpperCase()]);
    const accept = (): Promise<Response> => stranger.browser.post('invitations/accept', { token });
    expect(statuses(await Promise.all([accept(), accept()]))).toEqual([200, 410]);
    const { body: members } = await owner.browser.get(`organisations/${id}/members`);
    expect(members.invitations).toEqual([]);
    expect(members.entry.map(({ role }: { role: Role }) => role).sort()).toEqual(['developer', 'owner']);
    expect((await stranger.browser.get('account')).body.organisations).toEqual([
      { id, name: 'Better Sleep', role: 'developer', may_have_live_clients: false },
    ]);
    const again = await owner.browser.post(`organisations/${id}/invitations`, { email, role: 'owner' });
    expect(again.body.error_code).toBe('already_member');
    await console.pool.query('DELETE FROM membership WHERE account_id = $1', [stranger.id]);
  });

  it('limit invitations of an address, whose last one stays valid', async () => {
    const id = await newOrganisation();
    const email = newEmail();
    const invite = () => people.owner.browser.post(`organisations/${id}/invitations`, { email, role: 'developer' });
    for (let count = 0; count < 5; count++) expect((await invite()).status).toBe(201);
    const refused = await invite();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.any(String)]);
    const token = await console.tokenTo(email);
    expect((await console.browser().post('invitations/read', { token })).status).toBe(200);
  });

  it('are not joined by an invitation of a developer who is disabled', async () => {
    const inviter = await console.newDeveloper();
    const { id } = (await inviter.browser.post('organisations', { name: 'Short' })).body;
    const email = newEmail();
    await inviter.browser.post(`organisations/${id}/invitations`, { email, role: 'owner' });
    const token = await console.tokenTo(email);
    await console.pool.query('UPDATE account SET disabled_at = now() WHERE id = $1', [inviter.id]);
    expect((await console.browser().post('invitations/read', { token })).body.error_code).toBe('email_link_ended');
  });

  it('withdraw and replace invitations', async () => {
    const { owner, stranger } = people;
    const id = await newOrganisation();
    const email = newEmail();
    const invite = (role: Role) => owner.browser.post(`organisations/${id}/invitations`, { email, role });
    await invite('owner');
    const former = await console.tokenTo(email);
    const { body: invitation } = await invite('read_only');
    const token = await console.tokenTo(email);
    expect((await console.browser().post('invitations/read', { token: former })).body.error_code).toBe(
      'email_link_ended',
    );
    const { body: members } = await owner.browser.get(`organisations/${id}/members`);
    expect(members.invitations).toMatchObject([{ id: invitation.id, role: 'read_only' }]);
    expect((await owner.browser.delete(`organisations/${id}/invitations/${invitation.id}`)).status).toBe(200);
    expect((await owner.browser.delete(`organisations/${id}/invitations/${invitation.id}`)).status).toBe(404);
    expect((await stranger.browser.post('invitations/accept', { token })).status).toBe(410);
    await invite('developer');
    await console.pool.query('UPDATE invitation SET expires_at = now() WHERE organisation_id = $1', [id]);
    const expired = await console.tokenTo(email);
    expect((await console.browser().post('invitations/read', { token: expired })).status).toBe(410);
  });

  it('are changed by owners, read by members, and unknown to everybody else', async () => {
    const { owner, developer, read_only: reader, stranger } = people;
    const id = await newOrganisation([developer, 'developer'], [reader, 'read_only']);
    const { body: invitation } = await owner.browser.post(`organisations/${id}/invitations`, {
      email: newEmail(),
      role: 'developer',
    });
    const missing = '00000000-0000-4000-8000-000000000000';
    const reads = (of: string): ((browser: ConsoleBrowser) => Promise<Response>)[] => [
      (browser) => browser.get(`organisations/${of}`),
      (browser) => browser.get(`organisations/${of}/members`),
    ];
    const changes = (of: string): ((browser: ConsoleBrowser) => Promise<Response>)[] => [
      (browser) => browser.patch(`organisations/${of}`, { name: 'Worse Sleep' }),
      (browser) => browser.post(`organisations/${of}/invitations`, { email: newEmail(), role: 'owner' }),
      (browser) => browser.delete(`organisations/${of}/invitations/${invitation.id}`),
      (browser) => browser.patch(`organisations/${of}/members/${owner.id}`, { role: 'read_only' }),
      (browser) => browser.patch(`organisations/${of}/members/${reader.id}`, { role: 'owner' }),
      (browser) => browser.delete(`organisations/${of}/members/${owner.id}`),
      (browser) => browser.delete(`organisations/${of}`),
    ];
    for (const { browser } of [developer, reader]) {
      for (const read of reads(id)) expect((await read(browser)).status).toBe(200);
      for (const change of changes(id)) {
        const refused = await change(browser);
        expect([refused.status, refused.body.error_code]).toEqual([403, 'role_not_allowed']);
      }
    }
    const anonymous = console.browser();
    for (const [index, call] of [...reads(id), ...changes(id)].entries()) {
      const ofMissing = await [...reads(missing), ...changes(missing)][index]!(stranger.browser);
      const ofForeign = await call(stranger.browser);
      expect([ofForeign.status, ofForeign.body]).toEqual([404, ofMissing.body]);
      expect((await call(anonymous)).status).toBe(401);
    }
    expect((await owner.browser.patch(`organisations/${id}`, { name: 'Best Sleep' })).body.name).toBe('Best Sleep');
    expect((await reader.browser.delete(`organisations/${id}/members/${reader.id}`)).status).toBe(200);
    expect((await reader.browser.get(`organisations/${id}`)).status).toBe(404);
    expect(await requireRole(console.pool, id, developer.id)).toBe('developer');
    expect((await owner.browser.delete(`organisations/${id}`)).status).toBe(200);
    expect((await owner.browser.get(`organisations/${id}`)).status).toBe(404);
    expect(console.events).toContainEqual(
      expect.objectContaining({ kind: 'console.organisation-changed', action: 'D', outcome: 'success' }),
    );
  });

  it('always have an owner, also when two leave at once', async () => {
    const { owner, developer } = people;
    const alone = await newOrganisation([developer, 'developer']);
    const change = (path: string, by: Developer, target: Developer): Promise<Response> =>
      by.browser.patch(`organisations/${path}/members/${target.id}`, { role: 'developer' });
    expect((await change(alone, owner, owner)).body.error_code).toBe('last_owner');
    expect((await owner.browser.delete(`organisations/${alone}/members/${owner.id}`)).body.error_code).toBe(
      'last_owner',
    );
    for (let round = 0; round < 5; round++) {
      const id = await newOrganisation([developer, 'owner']);
      const answers = await Promise.all(
        round % 2 === 0
          ? [change(id, owner, owner), change(id, developer, developer)]
          : [owner, developer].map(({ browser, id: account }) =>
              browser.delete(`organisations/${id}/members/${account}`),
            ),
      );
      expect(statuses(answers)).toEqual([200, 409]);
      const { rows } = await console.pool.query(
        `SELECT count(*)::int AS owners FROM membership WHERE organisation_id = $1 AND role = 'owner'`,
        [id],
      );
      expect(rows[0].owners).toBe(1);
    }
  });

  it('end the invitations of an owner who is none any more', async () => {
    const { owner, developer } = people;
    const id = await newOrganisation([developer, 'owner']);
    const email = newEmail();
    await developer.browser.post(`organisations/${id}/invitations`, { email, role: 'owner' });
    const token = await console.tokenTo(email);
    expect((await owner.browser.delete(`organisations/${id}/members/${developer.id}`)).status).toBe(200);
    expect((await console.browser().post('invitations/read', { token })).status).toBe(410);
  });

  it('record who has changed them, without addresses', () => {
    const texts = JSON.stringify(console.events);
    expect(texts).toContain('console.members-changed');
    for (const { email } of Object.values(people)) expect(texts).not.toContain(email);
  });
});
