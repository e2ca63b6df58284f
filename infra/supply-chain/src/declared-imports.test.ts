import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';

const repository = join(__dirname, '..', '..', '..');
const workspacesIn = (parent: string): string[] =>
  readdirSync(join(repository, parent))
    .map((name) => join(parent, name))
    .filter((folder) => existsSync(join(repository, folder, 'package.json')));

/** The packages that a source imports when it runs; imports of types alone are removed by the compiler. */
function importsOf(source: string): string[] {
  const froms = source.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from '([^'.][^']*)';/gm);
  const calls = source.matchAll(/\b(?:import|require)\('([^'.][^']*)'\)/g);
  return [...froms, ...calls]
    .map(([, name = '']) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
}

/** An image contains what `dependencies` names: a program whose package.json lacks an entry cannot start there. */
describe.each([...workspacesIn('packages'), ...workspacesIn('services')])('%s', (folder) => {
  it('declares what its production code imports', () => {
    const manifest = JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as {
      name: string;
      dependencies?: Record<string, string>;
      peerDependencies?: Record<string, string>;
    };
    const declared = new Set([
      manifest.name,
      ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    ]);
    const sources = join(repository, folder, 'src');
    const files = existsSync(sources) ? readdirSync(sources, { recursive: true, encoding: 'utf8' }) : [];
    const undeclared = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => importsOf(readFileSync(join(sources, file), 'utf8')).map((imported) => `${file}: ${imported}`))
      .filter((entry) => !declared.has(entry.slice(entry.indexOf(': ') + 2)));
    expect(undeclared).toEqual([]);
  });
});
