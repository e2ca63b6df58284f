import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpError, type StaticFile, compressedFiles, sendStaticFile } from '@tributary/service-kit';
import type { Request, Response } from 'express';
import { z } from 'zod';

/** What the build of the web applications has in common for the browser. */
export interface WebAssets {
  /** By name. */
  files: ReadonlyMap<string, StaticFile>;
  /** The names of the files that a document loads. */
  script: string;
  styles: string;
}

type Application = 'connect-pages' | 'developer-console';

/** Where `build/main.mjs` puts a web application, beside the compiled code. */
export function builtFolder(application: Application): string {
  return join(__dirname, '..', 'dist', 'web', application);
}

/** Reads what the build has made of a web application. */
export function readWebAssets(application: Application): WebAssets {
  const built = builtFolder(application);
  const names = JSON.parse(readFileSync(join(built, 'names.json'), 'utf8')) as Omit<WebAssets, 'files'>;
  return { ...names, files: compressedFiles(join(built, 'assets')) };
}

/** The path of the base URL, below which all addresses are. */
export function rootOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}

/** Of the path of an asset. */
export const assetName = z.object({ file: z.string().regex(/^[\w.-]+$/) });

/** A year: the name of a file changes with its content. */
const cacheControl = 'public, max-age=31536000, immutable';

/** @throws HttpError 404 */
export function sendAsset(request: Request, response: Response, file: StaticFile | undefined): undefined {
  if (!file) throw new HttpError('not_found', 'there is no such file');
  sendStaticFile(request, response, file, { 'Cache-Control': cacheControl });
}
