const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

/** Lets `require` load TypeScript files from here on, so that a fresh clone can start the servers before anything is built. */
require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  module._compile(code, filename);
};
