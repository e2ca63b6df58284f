// Puts what the pages need beside the compiled code: the pages of other folders, the drawn diagrams, and the assets,
// which are compressed once here.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { renderMermaidSVG } from 'beautiful-mermaid';
import { factPages, guides } from '../dist/contents.js';

const service = fileURLToPath(new URL('..', import.meta.url));
const repository = join(service, '..', '..');
const [pages, diagrams, assets] = ['pages', 'diagrams', 'assets'].map((name) => join(service, 'dist', name));

for (const folder of [pages, diagrams, assets]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

for (const name of readdirSync(join(service, 'pages'))) copyFileSync(join(service, 'pages', name), join(pages, name));
for (const { name, file } of [...guides, ...factPages])
  if (file) copyFileSync(join(repository, file), join(pages, `${name}.md`));

/** The widest drawing that is legible in the column of a page, in pixels. */
const maxWidth = 900;
const styles = new Set();
for (const name of readdirSync(pages)) {
  const text = readFileSync(join(pages, name), 'utf8');
  for (const [, source] of text.matchAll(/^```mermaid\n([\s\S]*?)^```/gm)) {
    const wide = renderMermaidSVG(source, { bg: '#fff', fg: '#000' });
    const isWide = Number(/width="([\d.]+)"/.exec(wide)?.[1]) > maxWidth;
    const svg = isWide ? renderMermaidSVG(source.replace(/^\s*direction LR\n/m, ''), { bg: '#fff', fg: '#000' }) : wide;
    // The style sheet of the site replaces that of each drawing: the pages allow no inline style.
    styles.add(/<style>([\s\S]*?)<\/style>/.exec(svg)?.[1] ?? '');
    const drawing = svg.replace(/<style>[\s\S]*?<\/style>/, '').replace(/ style="[^"]*"/, '');
    writeFileSync(join(diagrams, `${createHash('sha256').update(source).digest('hex')}.svg`), drawing);
  }
}
if (styles.size > 1) throw new Error('the drawings have different style sheets');
const diagramStyle = [...styles]
  .join('')
  .replace(/^\s*@import.*$/gm, '')
  .replace(/^(\s*)(svg|text)\b(?=[^{};]*\{)/gm, '$1.diagram $2');

const redoc = fileURLToPath(import.meta.resolve('redoc/bundles/redoc.standalone.js'));
const logo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const program = readFileSync(redoc, 'utf8');
if (!program.includes(logo)) throw new Error(`Redoc does not load ${logo}: look what it loads from elsewhere`);
// The bundle has the code of these packages, whose licences ask for their notice.
const { sources } = JSON.parse(readFileSync(`${redoc}.map`, 'utf8'));
const bundled = new Set(sources.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
const modules = join(redoc, '..', '..', '..');
const licences = [`${redoc}.LICENSE.txt`, join(modules, 'redoc', 'LICENSE')];
for (const name of [...bundled].sort())
  if (existsSync(join(modules, name)))
    for (const file of readdirSync(join(modules, name)))
      if (/^(?:licen[cs]e|notice)/i.test(file)) licences.push(join(modules, name, file));
addAsset('redoc.standalone.js', program.replaceAll(logo, 'data:,'));
addAsset('redoc.standalone.js.LICENSE.txt', licences.map((path) => readFileSync(path, 'utf8')).join('\n'));
const pageStyle = readFileSync(fileURLToPath(import.meta.resolve('@tributary/page-style/style.css')), 'utf8');
for (const name of readdirSync(join(service, 'assets'))) {
  const text = readFileSync(join(service, 'assets', name), 'utf8');
  addAsset(name, name === 'site.css' ? `@layer pages {\n${pageStyle}${text}${diagramStyle}}\n` : text);
}

function addAsset(name, text) {
  writeFileSync(join(assets, name), text);
  writeFileSync(join(assets, `${name}.gz`), gzipSync(text, { level: 9 }));
  writeFileSync(
    join(assets, `${name}.br`),
    brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  );
}
