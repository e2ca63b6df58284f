import { useState } from 'react';

/** Does what a button is for. @returns why the last attempt failed, and whether one is in progress */
export function useAction(): { act: (action: () => Promise<void>) => void; failure: unknown; isBusy: boolean } {
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    setFailure(undefined);
    setBusy(true);
    try {
      await action();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return { act: (action) => void (isBusy || attempt(action)), failure, isBusy };
}
