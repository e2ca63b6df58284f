/** A variable that global-setup sets for every test. */
export function valueOfRun(name: 'TEST_POSTGRES_URL' | 'TEST_REDIS_URL' | 'TEST_RUN'): string {
  const value = process.env[name];
  if (!value)
    throw new Error(
      `${name} is not set: tests that need servers run through jest with the preset @tributary/test-environment.`,
    );
  return value;
}
