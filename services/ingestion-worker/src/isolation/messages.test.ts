import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RotatingSecret, type RuntimeSettings, databaseConfig, redisConfig } from '@tributary/service-kit';
import type { CollectorSettings } from '../collector';
import { type SentRuntime, type SentSettings, fromSent, settingsFromSent, settingsToSent, toSent } from './messages';

const folder = mkdtempSync(join(tmpdir(), 'isolated-service-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The settings of the child process, as the messages between processes transport them. */
const inChild = (runtime: RuntimeSettings): RuntimeSettings =>
  fromSent(JSON.parse(JSON.stringify(toSent(runtime))) as SentRuntime, undefined);

it('gives the isolated process the file of the service key, so that it follows a rotation', () => {
  const path = join(folder, 'service-key');
  writeFileSync(path, 'the first service key\n');
  const { serviceKey } = inChild({
    name: 'ingestion-worker',
    serviceKey: new RotatingSecret({ path, activationSeconds: 0 }),
  });
  if (!(serviceKey instanceof RotatingSecret)) throw new Error('the key is not read from the file');
  expect(serviceKey.current).toBe('the first service key');
  writeFileSync(path, 'the first service key\nthe second service key\n');
  serviceKey.refresh();
  expect([serviceKey.current, serviceKey.file]).toEqual(['the second service key', { path, activationSeconds: 0 }]);
});

it('sends a service key from the environment as it is', () => {
  const accepted = ['a key of sixteen characters'] as const;
  const identity = { name: 'ingestion-worker', tls: undefined };
  expect(toSent({ ...identity, serviceKey: { accepted, current: accepted[0] } })).toEqual({
    ...identity,
    serviceKey: accepted[0],
  });
  expect(inChild({ ...identity, serviceKey: accepted[0] }).serviceKey).toBe(accepted[0]);
});

it('gives the isolated process the files of the passwords, and passwords from the environment as they are', () => {
  const path = join(folder, 'database-password');
  writeFileSync(path, 'the first password\n');
  const settings = {
    database: databaseConfig.parse({
      DATABASE_URL: 'postgres://worker@localhost/x',
      DATABASE_PASSWORD: new RotatingSecret({ path, activationSeconds: 0 }),
    }),
    redis: redisConfig.parse({
      REDIS_URL: 'redis://localhost',
      REDIS_PASSWORD: 'a password',
      REDIS_SENTINEL_PASSWORD: 'another password',
    }),
    caps: { perHost: 6, overall: 32 },
  } as CollectorSettings;
  const sent = JSON.parse(JSON.stringify(settingsToSent(settings))) as SentSettings;
  const { database, redis, caps } = settingsFromSent(sent, undefined);
  if (typeof database === 'string') throw new Error('the settings of the database are lost');
  expect([caps, redis.REDIS_PASSWORD?.accepted]).toEqual([{ perHost: 6, overall: 32 }, ['a password']]);
  expect(redis.REDIS_SENTINEL_PASSWORD?.accepted).toEqual(['another password']);
  expect(database.DATABASE_PASSWORD?.accepted).toEqual(['the first password']);
  writeFileSync(path, 'the first password\nthe second password\n');
  database.DATABASE_PASSWORD?.refresh?.();
  expect(database.DATABASE_PASSWORD?.accepted).toEqual(['the first password', 'the second password']);
});
