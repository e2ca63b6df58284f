import { createContext, useContext } from 'react';
import type { Account } from '../api/answers';

export const AccountContext = createContext<Account | undefined>(undefined);

/** The account that is signed in. */
export function useSignedIn(): Account {
  const account = useContext(AccountContext);
  if (!account) throw new Error('no account is signed in');
  return account;
}
