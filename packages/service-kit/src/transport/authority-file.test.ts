import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificates } from '@tributary/certificates';
import { AuthorityFile } from './authority-file';

const folder = mkdtempSync(join(tmpdir(), 'authority-'));
const path = join(folder, 'authority.pem');
afterAll(() => rmSync(folder, { recursive: true }));

it('returns the content of the file, and the last usable one while the file is missing or incomplete', async () => {
  const [one, two] = (await Promise.all([issueCertificates({}), issueCertificates({})])).map(
    ({ authority }) => authority,
  ) as [string, string];
  writeFileSync(path, one);
  const file = new AuthorityFile(path, 'REDIS_CA_FILE');
  expect(file.current()).toBe(one);
  for (const incomplete of ['', one + two.slice(0, 200), 'no certificate']) {
    writeFileSync(path, incomplete);
    expect(file.current()).toBe(one);
  }
  rmSync(path);
  expect(file.current()).toBe(one);
  writeFileSync(path, one + two);
  expect(file.current()).toBe(one + two);
});

it.each(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n'])(
  'refuses a file that cannot be used (%#)',
  (text) => {
    writeFileSync(path, text);
    expect(() => new AuthorityFile(path, 'REDIS_CA_FILE')).toThrow('the file of REDIS_CA_FILE cannot be used');
    expect(() => new AuthorityFile(join(folder, 'missing'), 'REDIS_CA_FILE')).toThrow('REDIS_CA_FILE');
  },
);
