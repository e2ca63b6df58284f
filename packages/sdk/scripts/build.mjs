// Compiles the sources twice: ES modules to dist/esm, CommonJS to dist/cjs.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const packageFolder = join(import.meta.dirname, '..');
const compiler = join(packageFolder, '..', '..', 'node_modules', '.bin', 'tsc');

for (const [folder, configuration, type] of [
  ['dist/esm', 'tsconfig.json', 'module'],
  ['dist/cjs', 'tsconfig.cjs.json', 'commonjs'],
]) {
  const { status } = spawnSync(compiler, ['-b', configuration], { cwd: packageFolder, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(join(packageFolder, folder, 'package.json'), `${JSON.stringify({ type })}\n`);
  nameCompiledFiles(join(packageFolder, folder));
}

/** The compiler rewrites `./file.ts` to `./file.js` in the code, but not in the declarations. */
function nameCompiledFiles(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    const renamed = text.replaceAll(/(from |import\()(['"])(\.[^'"]*)\.ts\2/g, '$1$2$3.js$2');
    if (renamed !== text) writeFileSync(file, renamed);
  }
}
