import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Returns the folder `directory` of $TRIBUTARY_DATA, by default of a folder beside the repository; undefined when it
 * does not exist.
 */
function realDirectory(): string | undefined {
  const folder = join(process.env['TRIBUTARY_DATA'] ?? resolve(__dirname, '../../../../shared/data'), 'directory');
  return existsSync(folder) ? folder : undefined;
}

const folder = realDirectory();

/** The real bundles (`*.brands.json.gz`) and the examples of HL7; empty without the folder. */
export const realBundles = {
  brands: filesEnding('.brands.json.gz'),
  examples: filesEnding('.json').filter((file) => /hl7-brand/.test(file)),
};

/** `describe` that is skipped, with a message, without the folder. */
export const withRealDirectory = folder === undefined ? describe.skip : describe;
if (folder === undefined)
  process.stderr.write('Tests of the real directory are skipped: set TRIBUTARY_DATA to a folder that has one.\n');

function filesEnding(ending: string): string[] {
  return folder === undefined
    ? []
    : readdirSync(folder)
        .filter((file) => file.endsWith(ending))
        .sort()
        .map((file) => join(folder, file));
}
