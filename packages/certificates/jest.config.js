/** The tests start servers themselves and do not use the preset, whose servers are started by this package. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/src'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Only a hanging test reaches this limit: no test may depend on the speed of the machine.
  testTimeout: 300_000,
};
