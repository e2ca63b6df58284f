/** Its tests start servers themselves, so they do without the preset's servers (which are made of this package). */
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
  // Only a test that hangs reaches it: no test may depend on the speed of the machine.
  testTimeout: 300_000,
};
