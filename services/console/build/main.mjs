// Builds the web applications beside the compiled code: what the browser loads, compressed once here, and the connect
// pages again for rendering on the server.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const service = fileURLToPath(new URL('..', import.meta.url));
const web = join(service, 'dist', 'web');
rmSync(web, { recursive: true, force: true });

await buildForBrowser('connect-pages');
await buildForBrowser('developer-console');

const rendering = join(web, 'rendering');
await build({
  ...commonOf('connect-pages'),
  build: {
    ssr: join(service, 'web', 'connect-pages', 'src', 'render.tsx'),
    outDir: rendering,
    emptyOutDir: true,
    minify: true,
    rollupOptions: { output: { entryFileNames: 'render.mjs' } },
  },
  define: { 'process.env.NODE_ENV': "'production'" },
  ssr: { noExternal: true },
});
copyFileSync(join(rendering, 'render.mjs'), join(web, 'connect-pages', 'render.mjs'));
rmSync(rendering, { recursive: true });

/** Writes `names.json`, and a folder of assets that a page loads with addresses relative to each other. */
async function buildForBrowser(application) {
  const [output, assets] = ['output', 'assets'].map((folder) => join(web, application, folder));
  await build({
    ...commonOf(application),
    base: './',
    build: {
      outDir: output,
      assetsDir: '',
      emptyOutDir: true,
      cssCodeSplit: false,
      // The bundle has the code of packages whose licences ask for their notice.
      license: true,
      manifest: true,
      modulePreload: false,
      rollupOptions: { input: join(service, 'web', application, 'src', 'main.tsx') },
    },
  });
  mkdirSync(assets);
  const files = readdirSync(output, { withFileTypes: true }).filter((file) => file.isFile());
  for (const { name } of files) addAsset(assets, name, readFileSync(join(output, name)));
  addAsset(assets, 'licences.txt', readFileSync(join(output, '.vite', 'license.md')));
  const manifest = JSON.parse(readFileSync(join(output, '.vite', 'manifest.json'), 'utf8'));
  const names = { script: manifest['src/main.tsx'].file, styles: manifest['style.css'].file };
  writeFileSync(join(web, application, 'names.json'), JSON.stringify(names));
  rmSync(output, { recursive: true });
}

function commonOf(application) {
  return { root: join(service, 'web', application), configFile: false, logLevel: 'warn', plugins: [react()] };
}

function addAsset(folder, name, bytes) {
  writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  writeFileSync(
    join(folder, `${name}.br`),
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
}
