import { waitUntil } from '@tributary/test-environment';

/** Repeats a check until it passes. @throws what it throws after 300 seconds */
export async function eventually(check: () => unknown): Promise<void> {
  let failure: unknown;
  const passes = async (): Promise<boolean> => {
    try {
      await check();
      return true;
    } catch (error) {
      failure = error;
      return false;
    }
  };
  await waitUntil(passes).catch(() => Promise.reject(failure));
}
