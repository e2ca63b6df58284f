import { Client } from 'pg';
import { createDatabase } from '.';

async function rowsOf(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

test('each database is empty and separate from the others', async () => {
  const [one, other] = await Promise.all([createDatabase(), createDatabase()]);
  await rowsOf(one.url, 'CREATE TABLE visit (id int)');
  await expect(rowsOf(one.url, 'SELECT * FROM visit')).resolves.toEqual([]);
  await expect(rowsOf(other.url, 'SELECT * FROM visit')).rejects.toThrow('does not exist');
  await Promise.all([one.drop(), other.drop()]);
});

test('concurrent copies of a template have its tables, which are made once, and separate rows', async () => {
  let made = 0;
  const template = {
    name: 'visits',
    migrate: async (url: string) => {
      made++;
      await rowsOf(url, 'CREATE TABLE visit (id int); INSERT INTO visit VALUES (1)');
    },
  };
  const copies = await Promise.all([createDatabase(template), createDatabase(template), createDatabase(template)]);
  await rowsOf(copies[0].url, 'INSERT INTO visit VALUES (2)');
  const counts = await Promise.all(copies.map(({ url }) => rowsOf(url, 'SELECT count(*)::int FROM visit')));
  expect([made, ...counts]).toEqual([1, [{ count: 2 }], [{ count: 1 }], [{ count: 1 }]]);
  await Promise.all(copies.map((copy) => copy.drop()));
});

test('many tests can create databases concurrently', async () => {
  const databases = await Promise.all(Array.from({ length: 8 }, createDatabase));
  expect(new Set(databases.map(({ url }) => url)).size).toBe(8);
  await Promise.all(databases.map((database) => database.drop()));
});

test('its user can create extensions, and its collation classifies letters outside ASCII', async () => {
  const database = await createDatabase();
  await rowsOf(
    database.url,
    'CREATE EXTENSION pg_trgm; CREATE EXTENSION unaccent; CREATE EXTENSION btree_gin; CREATE EXTENSION pgcrypto',
  );
  await expect(
    rowsOf(
      database.url,
      `SELECT lower('ÄÖ') AS small, similarity('Müller', 'MÜLLER') AS alike, cardinality(show_trgm('ü')) AS parts`,
    ),
  ).resolves.toEqual([{ small: 'äö', alike: 1, parts: 2 }]);
  await database.drop();
});

test('dropping a database closes its connections, and can be repeated', async () => {
  const database = await createDatabase();
  const open = new Client({ connectionString: database.url });
  const cut = new Promise((resolve) => open.on('error', resolve));
  await open.connect();
  await database.drop();
  await expect(cut).resolves.toBeInstanceOf(Error);
  await database.drop();
  await expect(rowsOf(database.url, 'SELECT 1')).rejects.toThrow('does not exist');
});
