import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestDatabase, createDatabase } from '@tributary/test-environment';
import { bundleOf, endpoint, hospitals, organization } from '../../test/brands-bundles';
import { directoryCommand } from './directory-command';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createDatabase();
  process.env['DATABASE_URL'] = database.url;
  folder = mkdtempSync(join(tmpdir(), 'admin-'));
});
afterAll(async () => {
  delete process.env['DATABASE_URL'];
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
    expect(await run('sources')).toContain('two\t0 health systems');
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
    expect(printed).toContain('left out: 1 × Organization, no name');
    expect(JSON.parse(readFileSync(rejects, 'utf8'))).toEqual({
      source: 'dirty',
      resource: 'Organization',
      key: 'urn:uuid:b',
      name: '',
      reason: 'no name',
    });
  });

  it('refuses a load that would remove too many entries', async () => {
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
});
