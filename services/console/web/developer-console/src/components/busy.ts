import { createContext } from 'react';

/** Whether a form of a dialog waits for its answer. Meanwhile the dialog stays: the answer may be shown once only. */
export const BusyContext = createContext<{ isBusy: boolean; setBusy: (isBusy: boolean) => void }>({
  isBusy: false,
  setBusy: () => undefined,
});
