import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { Page } from '../components/page';
import { OfOperator } from './of-operator';

/** The lists of applications, organisations and accounts, with the way from one to another. */
export function ClientsLayout({ children }: { children: ReactNode }): ReactNode {
  return (
    <OfOperator>
      <Page title="Applications and organisations">
        <nav className="tabs" aria-label="Lists">
          <NavLink to="/operator/clients" end>
            Applications
          </NavLink>
          <NavLink to="/operator/clients/organisations">Organisations</NavLink>
          <NavLink to="/operator/clients/accounts">Accounts</NavLink>
        </nav>
        {children}
      </Page>
    </OfOperator>
  );
}
