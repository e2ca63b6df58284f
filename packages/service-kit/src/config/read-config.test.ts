import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { baseUrl, calleeConfig, commonConfig, flag, readConfig } from './read-config';

const schema = z.object({ ...commonConfig.shape, ...calleeConfig.shape, BASE_URL: baseUrl, SANDBOX_MODE: flag });

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
      SERVICE_KEYS: { worker: '0123456789abcdef' },
    });
  });

  it('lists every missing or invalid variable without its value', () => {
    expect(() => readConfig(schema, { PORT: 'http', SERVICE_KEYS: 'hush' })).toThrow(
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
});
