// Builds the file for a script tag: `TributaryConnect.openConnect(…)`.
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = join(import.meta.dirname, '..');
await build({
  entryPoints: [join(folder, 'src', 'index.ts')],
  outfile: join(folder, 'dist', 'connect.min.js'),
  bundle: true,
  minify: true,
  format: 'iife',
  globalName: 'TributaryConnect',
  target: 'es2020',
});
