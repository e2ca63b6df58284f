/** Every project's tests run through swc straight from the sources, with one PostgreSQL and one Redis for the whole run. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/src'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.tsx?$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' }, sourceMaps: 'inline' }],
  },
  moduleNameMapper: {
    '^@tributary/(test-environment|local-databases|contracts|service-kit|key-vault|fhir-json|fhir-definitions|fhir-search|fhir-validation|record-storage)$':
      '<rootDir>/../../packages/$1/src',
  },
  globalSetup: '@tributary/test-environment/global-setup.js',
  globalTeardown: '@tributary/test-environment/global-teardown.js',
  testTimeout: 30000,
};
