import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@tributary/service-kit';
import type { Pool } from 'pg';
import { type DirectoryDatabase, openDirectory } from '../../test/directory-database';
import { bundleOf, endpoint, organization } from '../../test/brands-bundles';
import { eventually } from '../../test/eventually';
import { loadFile } from '../loading/load-file';
import { saveMetadata, saveFailure, selectDue } from '../verification/endpoint-checks';
import { copyRegistrations } from './copy-registrations';
import { follow } from './follow';
import { selectDirectoryVersion } from './read-directory';
import { Snapshot } from './snapshot';

const log = createLog('search', 'silent');
let directory: DirectoryDatabase;
let pool: Pool;
let folder: string;

beforeAll(async () => {
  directory = await openDirectory(6);
  ({ pool } = directory);
  folder = mkdtempSync(join(tmpdir(), 'registrations-'));
});
afterEach(() => pool.query('truncate registered_pattern, endpoint_check'));
afterAll(async () => {
  await directory.close();
  rmSync(folder, { recursive: true });
});

const copyFrom = (patterns: () => Promise<string[]>): Promise<boolean> => copyRegistrations(pool, { patterns });
const copy = (...patterns: string[]): Promise<boolean> => copyFrom(() => Promise.resolve(patterns));

async function stored(): Promise<string[]> {
  const { rows } = await pool.query<{ pattern: string }>('select pattern from registered_pattern order by 1');
  return rows.map(({ pattern }) => pattern);
}

describe('copyRegistrations', () => {
  it('copies the patterns, and makes a new version of the directory only when they have changed', async () => {
    const version = await selectDirectoryVersion(pool);
    expect(await copy('a.example.org', 'b.example.org')).toBe(true);
    expect(await copy('b.example.org', 'a.example.org')).toBe(false);
    expect(await selectDirectoryVersion(pool)).toBe(version + 1);
    expect(await copy('b.example.org', 'c.example.org')).toBe(true);
    expect(await stored()).toEqual(['b.example.org', 'c.example.org']);
    expect(await copy()).toBe(true);
    expect(await stored()).toEqual([]);
    expect(await selectDirectoryVersion(pool)).toBe(version + 3);
  });

  it('keeps the last patterns while user-management does not answer', async () => {
    await copy('a.example.org');
    let away = true;
    const answer = (): Promise<string[]> =>
      away ? Promise.reject(new Error('away')) : Promise.resolve(['z.example.org']);
    await expect(copyFrom(answer)).rejects.toThrow('away');
    expect(await stored()).toEqual(['a.example.org']);
    const read = async (): Promise<void> => void (await copyFrom(answer));
    const following = follow({ what: 'registrations', intervalMs: 10, read, loggedFailures: 6, log });
    away = false;
    await eventually(async () => expect(await stored()).toEqual(['z.example.org']));
    await following.stop();
  });

  it('never replaces patterns with those that a slow replica read before', async () => {
    let answer: (patterns: string[]) => void = () => undefined;
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const slow = copyFrom(() => {
      isAsked();
      return new Promise((resolve) => (answer = resolve));
    });
    await asked;
    expect(await copy('new.example.org')).toBe(false);
    answer(['old.example.org']);
    expect(await slow).toBe(true);
    expect(await copy('new.example.org')).toBe(true);
    expect(await stored()).toEqual(['new.example.org']);
  });
});

describe('a snapshot', () => {
  beforeAll(async () => {
    const origin = join(folder, 'file.json');
    const hosts = { A: 'one', B: 'two', C: 'three', D: 'four' };
    writeFileSync(
      origin,
      bundleOf(
        ...Object.entries(hosts).flatMap(([letter, host]) => [
          organization({ id: letter, name: `Clinic ${letter}`, endpoints: [`e${letter}`] }),
          endpoint({ id: `e${letter}`, address: `https://${host}.example.org/R4/` }),
        ]),
        organization({ id: 'AC', name: 'Clinic AC', endpoints: ['eA', 'eC'] }),
      ),
    );
    await loadFile(pool, { origin, source: 's', force: false, sandbox: false });
  });

  const names = async (query?: string, connectableOnly = false): Promise<[number, string[]]> => {
    const { total, entry } = (await Snapshot.read(pool)).search('live', query, 0, 20, { connectableOnly });
    return [total, entry.map(({ name, connectable }) => `${name}${connectable ? ' +' : ''}`)];
  };

  it('marks health systems with a registration, ranks the others last, and leaves them out on request', async () => {
    expect(await names()).toEqual([5, ['Clinic A', 'Clinic AC', 'Clinic B', 'Clinic C', 'Clinic D']]);
    expect(await names('clinic', true)).toEqual([0, []]);
    await copy('three.example.org', 'https://four.example.org/R4');
    const all = ['Clinic AC +', 'Clinic C +', 'Clinic D +', 'Clinic A', 'Clinic B'];
    expect(await names()).toEqual([5, all]);
    expect((await names('clinic'))[1].slice(0, 3).sort()).toEqual(all.slice(0, 3));
    expect(await names(undefined, true)).toEqual([3, all.slice(0, 3)]);
    expect((await names('clinic', true))[0]).toBe(3);
    await copy('*.example.org');
    expect((await names(undefined, true))[0]).toBe(5);
  });

  it('ranks health systems whose endpoints are unavailable after the others', async () => {
    await copy('one.example.org', 'two.example.org');
    const addresses = ['one', 'three'].map((host) => `https://${host}.example.org/R4`);
    await selectDue(pool, addresses, undefined);
    const fail = async (): Promise<void> => {
      for (const address of addresses) await saveFailure(pool, address, { problem: 'no response in time' });
      await pool.query(`update endpoint_check set checked_at = checked_at - interval '2 hours'`);
    };
    await fail();
    expect((await names())[1]).toEqual(['Clinic A +', 'Clinic AC +', 'Clinic B +', 'Clinic C', 'Clinic D']);
    await fail();
    expect((await names())[1]).toEqual(['Clinic B +', 'Clinic A +', 'Clinic AC +', 'Clinic D', 'Clinic C']);
    expect((await names('clinic a', true))[1][0]).toBe('Clinic A +');
    await saveMetadata(pool, addresses[1]!, {
      fhirVersion: '4.0.1',
      software: null,
      smart: 'none',
      capabilities: null,
    });
    expect((await names())[1]).toEqual(['Clinic AC +', 'Clinic B +', 'Clinic A +', 'Clinic C', 'Clinic D']);
  });
});
