const { existsSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');

/**
 * Preloaded into child processes and threads: resolves the packages of the workspace to their TypeScript sources, so
 * that tests need no build.
 */
require('./typescript-sources');

const workspace = join(__dirname, '..', '..', '..');
const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveFromSources(request, ...rest) {
  const [, name] = /^@tributary\/([\w-]+)$/.exec(request) ?? [];
  const source =
    name &&
    ['packages', 'services']
      .map((folder) => join(workspace, folder, name, 'src', 'index.ts'))
      .find((file) => existsSync(file));
  return resolve.call(this, source || request, ...rest);
};
