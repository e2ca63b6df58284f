import { readConfig } from '@tributary/service-kit';
import { Browser } from '../../test/browser';
import { type ConnectedSystem, baseUrl, connect, connectUrl, followOne } from '../../test/connect-flow';
import { personScene } from '../../test/connection-scene';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import { PendingAuthorizations } from './pending-authorizations';

describe('the state of an authorization request', () => {
  const scene = personScene();
  const { open } = scene;
  const outcome = (url: URL): Record<string, string> => Object.fromEntries(url.searchParams);

  const begun = async (): Promise<{ at: ConnectedSystem; browser: Browser; callback: string }> => {
    const at = await open();
    const browser = new Browser(scene.service.app, baseUrl);
    const first = await browser.visit(connectUrl(scene.person, at.id));
    return { at, browser, callback: await followOne(first.headers['location'] as string) };
  };

  it('is accepted once', async () => {
    const { browser, callback } = await begun();
    const cookies = new Map(browser.cookies);
    expect((await browser.visit(callback)).status).toBe(302);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await browser.visit(callback)).status).toBe(400);
  });

  it('redirects again when a callback that has ended the session is reloaded, for ten minutes', async () => {
    const { at, browser, callback } = await begun();
    const first = await browser.visit(callback);
    const reloaded = [await browser.visit(callback), await browser.visit(callback)];
    expect(reloaded.map(({ status, headers }) => [status, headers['location']])).toEqual([
      [302, first.headers['location']],
      [302, first.headers['location']],
    ]);
    expect(first.headers['location']).toContain('success=true');
    expect([at.system.tokenRequests.length, (await scene.connections()).length]).toEqual([1, 1]);
    const [, mark = ''] = [...browser.cookies.entries()][0] ?? [];
    const other = new Browser(scene.service.app, baseUrl);
    other.cookies.set([...browser.cookies.keys()][0] ?? '', mark.replace('used.', ''));
    expect((await other.visit(callback)).status).toBe(400);
    await scene.service.sql('UPDATE pending_authorization SET expires_at = now() WHERE service_user_id = $1', [
      scene.person.serviceUserId,
    ]);
    expect((await browser.visit(callback)).status).toBe(400);
  });

  it('ends alike when a refusal is reloaded', async () => {
    const { browser, callback } = await begun();
    const denied = `${callback.replace(/code=[^&]*/, '')}&error=access_denied`;
    const { headers } = await browser.visit(denied);
    expect(headers['location']).toContain('error=access_denied');
    expect((await browser.visit(denied)).headers['location']).toBe(headers['location']);
    expect((await browser.visit(callback)).headers['location']).toBe(headers['location']);
  });

  it('is accepted once of concurrent callbacks', async () => {
    const { browser, callback } = await begun();
    const statuses = (
      await Promise.all([browser.visit(callback), browser.visit(callback), browser.visit(callback)])
    ).map(({ status }) => status);
    expect(statuses.sort()).toEqual([302, 400, 400]);
  });

  it('is rejected from another browser, and stays valid', async () => {
    const { browser, callback } = await begun();
    const other = new Browser(scene.service.app, baseUrl);
    expect((await other.visit(callback)).status).toBe(400);
    other.cookies.set([...browser.cookies.keys()][0] ?? '', 'x'.repeat(43));
    expect((await other.visit(callback)).status).toBe(400);
    expect((await browser.visit(callback)).status).toBe(302);
  });

  it('expires after ten minutes: the user returns to the client, and can begin anew at once', async () => {
    const [{ before } = {}] = await scene.service.sql('SELECT now() AS before');
    const { at, browser, callback } = await begun();
    const [begunAt] = await scene.service.sql(
      `SELECT expires_at - interval '10 minutes' BETWEEN $2 AND now() AS "isInTest" FROM pending_authorization WHERE service_user_id = $1`,
      [scene.person.serviceUserId, before],
    );
    expect(begunAt).toEqual({ isInTest: true });
    await scene.service.sql('UPDATE pending_authorization SET expires_at = now() WHERE service_user_id = $1', [
      scene.person.serviceUserId,
    ]);
    expect(outcome(await browser.follow(callback, []))).toMatchObject({ success: 'false', error: 'expired' });
    expect(outcome(await browser.follow(callback, []))).toMatchObject({ success: 'false', error: 'expired' });
    expect(at.system.tokenRequests).toEqual([]);
    expect(await scene.connections()).toEqual([]);
    expect(outcome(await connect(scene.service, scene.person, at))).toMatchObject({
      success: 'true',
    });
  });

  it('is not needed by a user who was stranded at the health system and begins anew', async () => {
    const { at } = await begun();
    expect(outcome(await connect(scene.service, scene.person, at))).toMatchObject({
      success: 'true',
    });
  });

  it('is deleted an hour after it expired', async () => {
    const { browser, callback } = await begun();
    const { database, keys } = await openServiceDatabase(readConfig(vaultConfig, scene.service.environment));
    const pendingAuthorizations = new PendingAuthorizations(database, keys);
    const left = (): Promise<unknown> =>
      scene.service.sql('SELECT true AS kept FROM pending_authorization WHERE service_user_id = $1', [
        scene.person.serviceUserId,
      ]);
    const age = (minutes: number): Promise<unknown> =>
      scene.service.sql(
        `UPDATE pending_authorization SET expires_at = now() - $2 * interval '1 minute' WHERE service_user_id = $1`,
        [scene.person.serviceUserId, minutes],
      );
    await age(55);
    await pendingAuthorizations.deleteExpired();
    expect(await left()).toEqual([{ kept: true }]);
    await age(65);
    await pendingAuthorizations.deleteExpired();
    expect(await left()).toEqual([]);
    expect((await browser.visit(callback)).status).toBe(400);
    await database.destroy();
  });

  it('has a cookie that scripts cannot read', async () => {
    const at = await open();
    const response = await new Browser(scene.service.app, baseUrl).visit(connectUrl(scene.person, at.id));
    expect(response.headers['set-cookie']).toEqual([
      expect.stringMatching(/^connect-[0-9a-f]{16}=[\w-]{43}; Max-Age=4200; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(response.headers['referrer-policy']).toBe('no-referrer');
  });
});
