const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const workspace = join(__dirname, '..', '..');

/** Maps imports of packages of the workspace to their sources, so that tests run without a build. */
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

/**
 * The jest preset of every project: tests run from the sources through swc, with one PostgreSQL and one Redis per run.
 */
module.exports = {
  testEnvironment: '@tributary/test-environment/environment.js',
  runtime: '@tributary/test-environment/runtime.js',
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
  },
  moduleNameMapper: sourcesOfPackages(),
  globalSetup: '@tributary/test-environment/global-setup.js',
  globalTeardown: '@tributary/test-environment/global-teardown.js',
  // Only a hanging test reaches this limit: no test may depend on the speed of the machine. `waitUntil` fails before.
  testTimeout: 400_000,
  reporters: ['default', '@tributary/test-environment/summary-reporter.js'],
};
