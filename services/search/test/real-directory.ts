import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of real brands bundles, or undefined where it is absent; TRIBUTARY_DATA says where, else it lies beside the repository. */
function realDirectory(): string | undefined {
  const folder = join(process.env['TRIBUTARY_DATA'] ?? resolve(__dirname, '../../../../shared/data'), 'directory');
  return existsSync(folder) ? folder : undefined;
}

const folder = realDirectory();

/** The real bundles (`*.brands.json.gz`) and the examples of HL7; empty where they are absent. */
export const realBundles = {
  brands: filesEnding('.brands.json.gz'),
  examples: filesEnding('.json').filter((file) => /hl7-brand/.test(file)),
};

/** Runs with the real directory, and says so where it is absent. */
export const withRealDirectory = folder === undefined ? describe.skip : describe;
if (folder === undefined)
  process.stderr.write(
    'The real directory is not here: tests with it are left out. TRIBUTARY_DATA tells where it is.\n',
  );

function filesEnding(ending: string): string[] {
  return folder === undefined
    ? []
    : readdirSync(folder)
        .filter((file) => file.endsWith(ending))
        .sort()
        .map((file) => join(folder, file));
}
