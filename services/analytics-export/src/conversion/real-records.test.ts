import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type SourceRelease, isConvertible } from '@tributary/fhir-conversion';
import { type Resource, parseJson, stringifyJson } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import { type UserRecord, typeCodeOf } from '@tributary/record-storage';
import { ExportUnderTest } from '../../test/export-under-test';

const folder = join(process.env['TRIBUTARY_DATA'] ?? join(__dirname, '../../../../../shared/data'), 'records');
const whereData = existsSync(folder) ? it : it.skip;

function read(release: SourceRelease): Resource[] {
  return readdirSync(join(folder, release))
    .filter((file) => file.endsWith('.ndjson.gz'))
    .flatMap((file) =>
      gunzipSync(readFileSync(join(folder, release, file)))
        .toString('utf8')
        .split('\n')
        .filter(Boolean),
    )
    .map((line) => parseJson(line) as Resource);
}

async function store(record: UserRecord, release: SourceRelease, resources: readonly Resource[]): Promise<void> {
  const inner = (object: object): string => stringifyJson(object as Resource).slice(1, -1);
  const changes = resources.map(({ resourceType, id: _id, meta = {}, ...members }) => {
    const { versionId: _version, lastUpdated: _updated, ...ownMeta } = meta;
    return {
      typeCode: typeCodeOf(release, resourceType),
      id: randomUUID() as string,
      body: { meta: inner(ownMeta), members: inner(members) },
      index: { terms: [], ranges: [] },
    };
  });
  for (let i = 0; i < changes.length; i += 400) await record.write(changes.slice(i, i + 400));
}

whereData(
  'exports the real records of dstu2 and stu3 as valid R4, all of them or reported as left out (skipped where the data is absent)',
  async () => {
    const test = await ExportUnderTest.start({ settings: { fileResources: 500 } });
    for (const release of ['dstu2', 'stu3'] as const) {
      const resources = read(release);
      const convertible = resources.filter(({ resourceType }) => isConvertible(release, resourceType));
      const user = test.newUser();
      await store(user.record, release, resources);
      const { output, error } = await test.manifest(
        user.bearer,
        '?_outputFormat=application/fhir%2Bndjson;fhirVersion=4.0',
      );
      expect(output.reduce((sum, { count }) => sum + count, 0)).toBe(convertible.length);
      for (const file of output) {
        for (const line of await test.lines([file], user.bearer)) {
          const resource = parseJson(line) as Resource;
          const issues = validateResource('r4', resource);
          if (resource.resourceType !== file.type || issues.length > 0)
            throw new Error(`${file.type}: ${JSON.stringify(issues)}`);
        }
      }
      const leftOut = (await test.lines(error, user.bearer)).map((line) =>
        Number(/"diagnostics":"(\d+) /.exec(line)?.[1]),
      );
      expect(leftOut.reduce((sum, count) => sum + count, 0)).toBe(resources.length - convertible.length);
    }
    await test.stop();
  },
);
