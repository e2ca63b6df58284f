const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

/** Lets `require` load TypeScript files, so that a fresh clone can start the servers without a build. */
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
