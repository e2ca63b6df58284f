import { join } from 'node:path';
import { builtFolder, readWebAssets } from '../../web-assets';
import type { WebApplication } from './send-screen';

/** Reads the web application that the build has made. */
export async function readWebApplication(): Promise<WebApplication> {
  const rendering = (await import(join(builtFolder('connect-pages'), 'render.mjs'))) as Pick<WebApplication, 'render'>;
  return { ...readWebAssets('connect-pages'), render: rendering.render };
}
