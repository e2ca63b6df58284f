import { isJsonObject, parseJson, stringifyJson, type JsonValue, type Resource } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { convertToR4, isConvertible, type SourceRelease } from './index';

const folder = join(process.env['TRIBUTARY_DATA'] ?? join(__dirname, '../../../../shared/data'), 'records');
const whereData = existsSync(folder) ? describe : describe.skip;

function read(release: SourceRelease): Resource[] {
  return readdirSync(join(folder, release))
    .filter((file) => file.endsWith('.ndjson.gz'))
    .flatMap((file) =>
      gunzipSync(readFileSync(join(folder, release, file)))
        .toString('utf8')
        .split('\n')
        .filter(Boolean),
    )
    .map((line) => parseJson(line) as Resource)
    .filter(({ resourceType }) => isConvertible(release, resourceType));
}

/** The texts of all decimals in a value. */
function decimals(value: JsonValue | undefined): string[] {
  return stringifyJson(value ?? null).match(/(?<=:)-?\d+\.\d+/g) ?? [];
}

whereData.each(['dstu2', 'stu3'] as const)('the real records of %s (skipped where the data is absent)', (release) => {
  const resources = existsSync(folder) ? read(release) : [];

  it('are converted to valid R4, including invalid records of old generators', () => {
    expect(resources.length).toBeGreaterThan(2000);
    for (const resource of resources) {
      const { resource: converted, reason } = convertToR4(release, resource);
      if (converted === undefined) throw new Error(`${resource.resourceType}: ${reason}`);
      const issues = validateResource('r4', converted);
      if (issues.length > 0) throw new Error(`${resource.resourceType}: ${JSON.stringify(issues)}`);
    }
  });

  it('keep their ids, their tags and the texts of their decimals', () => {
    let compared = 0;
    for (const resource of resources) {
      const { resource: converted } = convertToR4(release, resource);
      expect(converted?.id).toBe(resource.id);
      expect(decimals(converted).toSorted()).toEqual(decimals(resource).toSorted());
      const tags = isJsonObject(resource.meta) && Array.isArray(resource.meta['tag']) ? resource.meta['tag'] : [];
      expect(converted?.meta?.['tag']).toEqual([
        ...tags,
        expect.objectContaining({ code: `converted-from-${release}` }),
      ]);
      compared += decimals(resource).length;
    }
    expect(compared).toBeGreaterThan(500);
  });
});
