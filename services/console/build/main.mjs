// Builds the web application beside the compiled code: what the browser loads, compressed once here, and the same
// application for rendering on the server.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const service = fileURLToPath(new URL('..', import.meta.url));
const web = join(service, 'dist', 'web');
const assets = join(web, 'assets');
rmSync(web, { recursive: true, force: true });
mkdirSync(assets, { recursive: true });

const common = { root: join(service, 'web', 'connect-pages'), configFile: false, logLevel: 'warn', plugins: [react()] };
const browser = join(web, 'browser');
await build({
  ...common,
  base: '/connect/assets/',
  build: {
    outDir: browser,
    emptyOutDir: true,
    // The bundle has the code of packages whose licences ask for their notice.
    license: true,
    manifest: true,
    modulePreload: false,
    rollupOptions: { input: join(service, 'web', 'connect-pages', 'src', 'main.tsx') },
  },
});
await build({
  ...common,
  build: {
    ssr: join(service, 'web', 'connect-pages', 'src', 'render.tsx'),
    outDir: join(web, 'server'),
    emptyOutDir: true,
    minify: true,
    rollupOptions: { output: { entryFileNames: 'render.mjs' } },
  },
  define: { 'process.env.NODE_ENV': "'production'" },
  ssr: { noExternal: true },
});
copyFileSync(join(web, 'server', 'render.mjs'), join(web, 'render.mjs'));

const manifest = JSON.parse(readFileSync(join(browser, '.vite', 'manifest.json'), 'utf8'));
const { file: script, css } = manifest['src/main.tsx'];
const names = { script: basename(script), styles: basename(css[0]) };
writeFileSync(join(web, 'names.json'), JSON.stringify(names));
for (const path of [script, css[0]]) addAsset(basename(path), readFileSync(join(browser, path)));
addAsset('licences.txt', readFileSync(join(browser, '.vite', 'license.md')));
for (const folder of ['browser', 'server']) rmSync(join(web, folder), { recursive: true });

function addAsset(name, bytes) {
  writeFileSync(join(assets, name), bytes);
  writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  writeFileSync(
    join(assets, `${name}.br`),
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
}
