import { type ReactNode, createContext, useCallback, useContext, useState } from 'react';
import { keys, refresh } from '../api/queries';
import { ApiError, hasCode } from '../api/request';
import { CancelButton, DialogBox } from '../components/dialogs';
import { SecondFactorForm } from '../components/second-factor-form';
import { useSignedIn } from './account-context';

type Confirmed = <Result>(action: () => Promise<Result>) => Promise<Result>;
const ConfirmedContext = createContext<Confirmed>((action) => action());

/** Runs a request that the server accepts for ten minutes after a second factor only, and asks for one if need be. */
export const useConfirmed = (): Confirmed => useContext(ConfirmedContext);

interface Question {
  answer: (isConfirmed: boolean) => void;
}

export function ConfirmedProvider({ children }: { children: ReactNode }): ReactNode {
  const [question, setQuestion] = useState<Question>();
  const { second_factors: factors } = useSignedIn();
  const confirmed = useCallback<Confirmed>(async (action) => {
    try {
      return await action();
    } catch (error) {
      if (!hasCode(error, 'sign_in_again')) throw error;
      const isConfirmed = await new Promise<boolean>((answer) => setQuestion({ answer }));
      setQuestion(undefined);
      if (isConfirmed) return action();
      throw new ApiError(0, 'cancelled', 'nothing has changed: this needs your second factor');
    }
  }, []);
  return (
    <ConfirmedContext value={confirmed}>
      {children}
      {question && (
        <DialogBox title="Confirm that it is you" close={() => question.answer(false)}>
          <p>Your last second factor is over ten minutes ago. Use it once more to go on.</p>
          <SecondFactorForm
            factors={factors}
            done={async () => {
              await refresh(keys.account);
              question.answer(true);
            }}
          />
          <CancelButton close={() => question.answer(false)} />
        </DialogBox>
      )}
    </ConfirmedContext>
  );
}
