import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestDatabase, createDatabase } from '@tributary/test-environment';
import { bundleOf, endpoint, hospitals, organization } from '../../test/brands-bundles';
import { listOf, row } from '../../test/endpoint-lists';
import { FakeEndpoints, fhirEndpoint } from '../../test/fake-endpoints';
import { directoryCommand } from './directory-command';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createDatabase();
  process.env['DATABASE_URL'] = database.url;
  process.env['SANDBOX_MODE'] = 'true';
  folder = mkdtempSync(join(tmpdir(), 'admin-'));
});
afterAll(async () => {
  delete process.env['DATABASE_URL'];
  delete process.env['SANDBOX_MODE'];
  await database.drop();
  rmSync(folder, { recursive: true });
});

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Runs the command, and returns its standard output. */
async function run(...words: string[]): Promise<string> {
  let printed = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  try {
    await directoryCommand().parseAsync(words, { from: 'user' });
  } finally {
    write.mockRestore();
  }
  return printed;
}

describe('directory', () => {
  it('loads files as separate sources into an empty database, lists and removes them', async () => {
    const printed = await run('load', file('one.brands.json', hospitals(3)), file('two.json', hospitals(2)), '--json');
    const reports = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { source: string; total: number; entry: { id: number; name: string }[] });
    expect(reports.map(({ source, total }) => [source, total])).toEqual([
      ['one', 3],
      ['two', 2],
    ]);
    expect(reports[0]!.entry[0]).toMatchObject({ id: 1, name: 'Hospital h0' });
    const sources = JSON.parse(await run('sources', '--json')) as { name: string; total: number }[];
    expect(sources.map(({ name, total }) => [name, total])).toEqual([
      ['one', 3],
      ['two', 2],
    ]);
    expect(await run('remove', 'two')).toContain('2 health systems of two were removed');
    expect(await run('sources')).toContain('two\tlive\t0 health systems');
  });

  it('reports rejected resources with the reason, and writes all of them to a file', async () => {
    const rejects = join(folder, 'rejects.ndjson');
    const printed = await run(
      'load',
      file(
        'dirty.json',
        bundleOf(
          organization({ id: 'a', endpoints: ['e'] }),
          organization({ id: 'b', name: '' }),
          endpoint({ id: 'e' }),
        ),
      ),
      '--rejects',
      rejects,
    );
    expect(printed).toContain('dirty: 1 health systems from 2 organizations and 1 endpoints');
    expect(printed).toMatch(/1 {2}left out {2}Organization, no name: urn:uuid:b/);
    expect(JSON.parse(readFileSync(rejects, 'utf8'))).toEqual({
      source: 'dirty',
      resource: 'Organization',
      key: 'urn:uuid:b',
      name: '',
      reason: 'no name',
    });
  });

  it('probes endpoints whose release nothing else names, writes each rejection once, and verifies the directory', async () => {
    const fake = new FakeEndpoints({ a: fhirEndpoint({ fhirVersion: '4.0.1' }, ['launch-standalone']) });
    await fake.start();
    try {
      const list = file(
        'vendor.json',
        listOf(row({ url: fake.url('a'), name: 'A' }), row({ url: fake.url('b'), name: 'B' }), row({ name: 'C' })),
      );
      await expect(run('load', list, '--no-verify')).rejects.toThrow('no health system that can be used');
      expect(fake.requests).toEqual([]);
      const rejects = join(folder, 'list-rejects.ndjson');
      const printed = await run('load', list, '--rejects', rejects);
      expect(printed).toMatch(/1 {2}taken .* stated by \/metadata/);
      expect(printed).toMatch(/1 {2}left out {2}Organization, no address: row 3 \(C\)/);
      expect(
        readFileSync(rejects, 'utf8')
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { reason: string }).reason),
      ).toEqual(['no address', 'no FHIR version, and none in its /metadata', 'no usable endpoint']);
      expect(await run('verify', '--source', 'vendor')).toContain('0 of 1 endpoints were due');
      const report: unknown = JSON.parse(await run('verify', '--source', 'vendor', '--all', '--json'));
      expect(report).toMatchObject({ addresses: 1, due: 1, answered: 1, smart: { 'smart-configuration': 1 } });
      expect(await run('load', list, '--release', 'dstu2')).toMatch(/2 {2}taken {5}endpoints, .* given by --release/);
      await run('remove', 'vendor');
    } finally {
      await fake.stop();
    }
  });

  it('loads what is usable when no endpoint responds', async () => {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const silent = Array.from({ length: 12 }, (_, number) =>
        row({ url: `http://127.0.0.${number + 2}:1/fhir`, name: `Silent ${number}` }),
      );
      const list = file('offline.json', listOf(...silent, row({ url: 'http://127.0.0.1:1/r4', name: 'Known' })));
      const printed = await run('load', list);
      expect(printed).toMatch(/ 1 {2}taken {5}health systems/);
      expect(printed).toMatch(/12 {2}left out {2}Organization, no usable endpoint/);
      expect(stderr).toHaveBeenCalledWith(expect.stringContaining('is this machine connected'));
    } finally {
      stderr.mockRestore();
    }
  });

  it('refuses a load that would remove too many entries', async () => {
    await expect(run('load', file('x.json', hospitals(3)), '--keep-test-systems')).rejects.toThrow('--mode test');
    await run('load', file('x.json', hospitals(10)));
    await expect(run('load', file('x.json', hospitals(3)))).rejects.toThrow('--force');
    expect(await run('load', file('x.json', hospitals(3)), '--force')).toContain('7 removed');
    await expect(
      run('load', file('x.json', hospitals(3)), join(folder, 'one.brands.json'), '--source', 'y'),
    ).rejects.toThrow('single file');
    await expect(run('load', file('x.json', hospitals(3)), file('x.brands.json', hospitals(3)))).rejects.toThrow(
      'both be the source x',
    );
  });

  it('has every command and option that the documentation names', () => {
    const documents = [
      'infra/docs/operations/commands.md',
      'infra/docs/operations/deployment.md',
      'infra/docs/how-to.md',
    ].map((path) => readFileSync(join(__dirname, '../../../..', path), 'utf8'));
    const documented = documents.flatMap((text) =>
      [
        ...text.matchAll(/^(?:docker compose exec search tributary|npm run (?:--silent )?admin --) directory (.+)$/gm),
      ].map(([, words]) => words!),
    );
    expect(documented.length).toBeGreaterThan(8);
    for (const line of documented) {
      const [name, ...words] = line.split(' ');
      const command = directoryCommand().commands.find((one) => one.name() === name);
      expect([line, command?.parseOptions(words).unknown]).toEqual([line, []]);
    }
  });
});
