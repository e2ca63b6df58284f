/** A variable that global-setup or, TEST_SEED, a setup file sets for every test. */
export function valueOfRun(name: 'TEST_POSTGRES_URL' | 'TEST_REDIS_URL' | 'TEST_RUN' | 'TEST_SEED'): string {
  const value = process.env[name];
  if (!value)
    throw new Error(
      `${name} is not set: tests that need it run through jest with the preset @tributary/test-environment.`,
    );
  return value;
}
