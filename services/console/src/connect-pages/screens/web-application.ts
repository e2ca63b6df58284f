import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compressedFiles } from '@tributary/service-kit';
import type { WebApplication } from './send-screen';

/** What `build/main.mjs` puts beside the compiled code. */
const built = join(__dirname, '..', '..', '..', 'dist', 'web');

/** Reads the web application that the build has made. */
export async function readWebApplication(): Promise<WebApplication> {
  const { render } = (await import(join(built, 'render.mjs'))) as Pick<WebApplication, 'render'>;
  const names = JSON.parse(readFileSync(join(built, 'names.json'), 'utf8')) as Pick<
    WebApplication,
    'script' | 'styles'
  >;
  return { ...names, render, files: compressedFiles(join(built, 'assets')) };
}
