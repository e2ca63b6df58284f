import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Request } from 'express';
import { z } from 'zod';
import { serviceKeyAuthentication } from '../authentication/service-authentication';
import { baseUrl, calleeConfig, callerConfig, commonConfig, readConfig } from './read-config';

const schema = z.object({ ...commonConfig.shape, ...calleeConfig.shape, BASE_URL: baseUrl });
const sandbox = { SANDBOX_MODE: 'true' };

describe('readConfig', () => {
  it('reads, converts and trims', () => {
    const config = readConfig(schema, {
      PORT: '4000',
      INTERNAL_PORT: '4001',
      SERVICE_KEYS: '{"worker":"0123456789abcdef"}',
      BASE_URL: 'http://localhost:4000/',
      SANDBOX_MODE: 'true',
    });
    expect(config).toMatchObject({
      PORT: 4000,
      BASE_URL: 'http://localhost:4000',
      SANDBOX_MODE: true,
    });
    expect(config.SERVICE_KEYS.acceptedFrom('worker')).toEqual(['0123456789abcdef']);
    expect(config.SERVICE_KEYS.acceptedFrom('constructor')).toEqual([]);
  });

  it('lists every missing or invalid variable without its value', () => {
    expect(() => readConfig(schema, { ...sandbox, PORT: 'http', SERVICE_KEYS: 'hush' })).toThrow(
      /PORT[\s\S]*INTERNAL_PORT[\s\S]*is not set[\s\S]*SERVICE_KEYS[\s\S]*BASE_URL/,
    );
    expect(() => readConfig(schema, { SERVICE_KEYS: 'hush' })).not.toThrow(/hush/);
  });

  it('reads secrets from files', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'url');
    writeFileSync(file, 'https://example.org\n');
    expect(readConfig(z.object({ BASE_URL: baseUrl }), { BASE_URL_FILE: file })).toEqual({
      BASE_URL: 'https://example.org',
    });
  });

  it('reads the keys of services again when their file changes, and accepts several of one service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    const [keys, key] = [join(folder, 'service-keys'), join(folder, 'service-key')];
    const [first, second] = ['a key of the first day', 'a key of the second day'];
    const write = (path: string, text: string): void => {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    };
    write(keys, JSON.stringify({ worker: first }));
    write(key, `${first}\n`);
    const config = readConfig(z.object({ ...callerConfig.shape, ...calleeConfig.shape }), {
      ...sandbox,
      SERVICE_KEYS_FILE: keys,
      SERVICE_KEY_FILE: key,
      SECRET_ACTIVATION_SECONDS: '86400',
    });
    const { authenticate } = serviceKeyAuthentication(config.SERVICE_KEYS, ['worker']);
    const call = (presented: string): Promise<string> => {
      const authorization = `Basic ${Buffer.from(`worker:${presented}`).toString('base64')}`;
      return authenticate({ headers: { authorization } } as Request, 'a request id');
    };
    write(keys, JSON.stringify({ worker: [first, second] }));
    write(key, `${first}\n${second}\n`);
    expect(config.SERVICE_KEY.current).toBe(first);
    await expect(call(second)).resolves.toBe('worker');
    await expect(call(first)).resolves.toBe('worker');
    await expect(call('another key of the worker')).rejects.toThrow('the service credentials are wrong');
    write(keys, JSON.stringify({ worker: second }));
    config.SERVICE_KEYS.refresh();
    await expect(call(first)).rejects.toThrow('the service credentials are wrong');
    // An invalid file leaves the keys as they were.
    write(keys, '{"worker":');
    config.SERVICE_KEYS.refresh();
    await expect(call(second)).resolves.toBe('worker');
    rmSync(folder, { recursive: true });
  });

  it('names a secret file that is missing or too short, without its content', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'config-')), 'key');
    const read = (): unknown => readConfig(callerConfig, { ...sandbox, SERVICE_KEY_FILE: path });
    expect(read).toThrow(/SERVICE_KEY_FILE cannot be used: ENOENT/);
    writeFileSync(path, 'hush\n');
    expect(read).toThrow('SERVICE_KEY_FILE cannot be used: each line must have at least 16 characters');
    expect(() => readConfig(callerConfig, { ...sandbox, SERVICE_KEY: 'hush' })).toThrow(
      /SERVICE_KEY .*: each line must have at least 16/,
    );
    expect(() => readConfig(callerConfig, sandbox)).toThrow(/SERVICE_KEY .*: is not set/);
  });
});
