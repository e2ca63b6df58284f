const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const workspace = join(__dirname, '..', '..');

/** Imports of the workspace's own packages lead to their sources, so that nothing has to be built before a test. */
function sourcesOfPackages() {
  const folders = ['packages', 'services', 'infra']
    .map((name) => join(workspace, name))
    .filter(existsSync)
    .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)))
    .filter((folder) => existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'src')));
  return Object.fromEntries(
    folders.map((folder) => [`^${require(join(folder, 'package.json')).name}$`, join(folder, 'src')]),
  );
}

/** Every project's tests run through swc straight from the sources, with one PostgreSQL and one Redis for the whole run. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>'],
  testMatch: ['<rootDir>/{src,test}/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
    '/node_modules/jose/.+\\.js$': ['@swc/jest', { jsc: { target: 'es2023' }, module: { type: 'commonjs' } }],
  },
  // jose is published as ES modules only, which jest cannot `require` before Node 24.9.
  transformIgnorePatterns: ['/node_modules/(?!jose/)'],
  moduleNameMapper: sourcesOfPackages(),
  globalSetup: '@tributary/test-environment/global-setup.js',
  globalTeardown: '@tributary/test-environment/global-teardown.js',
  // Only a test that hangs reaches it: no test may depend on the speed of the machine.
  testTimeout: 300_000,
  reporters: ['default', '@tributary/test-environment/summary-reporter.js'],
};
