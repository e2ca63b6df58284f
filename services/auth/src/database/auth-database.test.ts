import { openDatabase } from '@tributary/service-kit';
import { createDatabase } from '@tributary/test-environment';
import { ClientApplications } from '../clients/client-applications';
import { authSchema, openAuthDatabase } from './auth-database';
import { CreateSchema1763700000001 } from './create-schema-migration';

it('keeps the clients of a database of the version before', async () => {
  const database = await createDatabase();
  try {
    const migrations = [CreateSchema1763700000001];
    const before = await openDatabase({ database: database.url, schema: authSchema, entities: [], migrations });
    await before.query(
      `INSERT INTO client_application (client_id, name, mode, secret_sha256, redirect_uris)
       VALUES ('app', 'App', 'test', sha256('secret'), '{https://app.example.org/back}')`,
    );
    await before.destroy();
    const source = await openAuthDatabase(database.url);
    const clients = new ClientApplications(source);
    const app = {
      client_id: 'app',
      name: 'App',
      mode: 'test',
      people: 'one',
      redirect_uris: ['https://app.example.org/back'],
    };
    expect(await clients.find('app')).toEqual(app);
    const settings = { logo: 'data:image/png;base64,iVBORw==', frameOrigins: ['https://app.example.org'] } as const;
    await clients.set('app', { ...settings, frameOrigins: [...settings.frameOrigins] });
    expect(await clients.find('app')).toEqual({
      ...app,
      logo: settings.logo,
      frame_origins: settings.frameOrigins,
    });
    await source.destroy();
  } finally {
    await database.drop();
  }
});
