const { existsSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');

/** Lets a child process run the workspace's TypeScript as it stands: nothing has to be built before a test. */
require('@tributary/test-environment/launch/typescript-sources.js');

const workspace = join(__dirname, '..', '..', '..', '..');
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
