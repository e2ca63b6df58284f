import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Pool, type QueryResult } from 'pg';
import { observationTypeCode } from './bare-tables';
import { seal, unseal } from './sealing';

/**
 * The bare routes: Express, one prepared statement, AES-GCM, and nothing else. No authentication, no validation, no
 * search values, no audit. `/empty` does nothing at all. Configured by `DATABASE_URL`, `BARE_KEY` (hex) and
 * `CONNECTIONS`.
 */
const key = Buffer.from(process.env['BARE_KEY'] ?? '', 'hex');
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: Number(process.env['CONNECTIONS']) });

function prepared(name: string, text: string, values: unknown[]): Promise<QueryResult<{ content: Buffer }>> {
  return pool.query({ name, text, values });
}

const terms = `{${Array.from({ length: 10 }, (_, n) => n + 1).join(',')}}`;
const body = express.text({ type: () => true, limit: '1mb' });
const app = express().disable('x-powered-by').disable('etag');

app.get('/empty', (_request, response) => {
  response.status(204).end();
});

app.get('/read/:user/:id', async ({ params }, response) => {
  const { rows } = await prepared(
    'read',
    `SELECT content FROM fhir_store.bench_resource WHERE user_id = $1 AND type_code = ${observationTypeCode} AND id = $2`,
    [params.user, params.id],
  );
  if (rows[0]) response.type('application/fhir+json').send(unseal(key, rows[0].content));
  else response.status(404).end();
});

app.get('/search/:user/:term', async ({ params }, response) => {
  const { rows } = await prepared(
    'search',
    `SELECT content FROM fhir_store.bench_resource WHERE user_id = $1 AND type_code = ${observationTypeCode} AND terms @> ARRAY[$2::bigint] ORDER BY date DESC LIMIT 20`,
    [params.user, params.term],
  );
  const lines = rows.map(({ content }) => unseal(key, content));
  response
    .type('application/fhir+json')
    .send(
      Buffer.concat([
        Buffer.from('['),
        ...lines.flatMap((line, index) => (index === 0 ? [line] : [Buffer.from(','), line])),
        Buffer.from(']'),
      ]),
    );
});

app.get('/directory/:words', async ({ params }, response) => {
  const found = `SELECT id, name, address, releases, count(*) OVER () AS total FROM fhir_store.bench_directory, to_tsquery('simple', $1) query WHERE words @@ query ORDER BY ts_rank(words, query) DESC, name, id LIMIT 20`;
  const { rows } = await prepared('directory', found, [params.words]);
  response.json(rows);
});

app.post('/create/:user', body, async ({ params, body: content }, response) => {
  const id = randomUUID();
  await prepared(
    'create',
    `INSERT INTO fhir_store.bench_resource (user_id, type_code, id, date, terms, content) VALUES ($1, ${observationTypeCode}, $2, $3, $4, $5)`,
    [params.user, id, Date.now(), terms, seal(key, String(content))],
  );
  response.status(201).location(`/read/${params.user}/${id}`).send(content);
});

app.put('/update/:user/:id', body, async ({ params, body: content }, response) => {
  await prepared(
    'update',
    `UPDATE fhir_store.bench_resource SET content = $3 WHERE user_id = $1 AND type_code = ${observationTypeCode} AND id = $2`,
    [params.user, params.id, seal(key, String(content))],
  );
  response.send(content);
});

app.delete('/delete/:user/:id', async ({ params }, response) => {
  await prepared(
    'delete',
    `DELETE FROM fhir_store.bench_resource WHERE user_id = $1 AND type_code = ${observationTypeCode} AND id = $2`,
    [params.user, params.id],
  );
  response.status(204).end();
});

const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
