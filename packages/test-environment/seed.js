/**
 * A setup file of jest: the random values of a run depend on TEST_SEED alone, so a failure can be repeated. fast-check
 * prints the seed with each failure itself, and `environment.js` does so for tests that use `seededRandom`.
 */
process.env.TEST_SEED ||= '20260101';

// A factory, as most test files do not use fast-check, and loading it takes longer than most of them.
jest.doMock('fast-check', () => {
  const fastCheck = jest.requireActual('fast-check');
  fastCheck.configureGlobal({ seed: Number(process.env.TEST_SEED) });
  return fastCheck;
});
