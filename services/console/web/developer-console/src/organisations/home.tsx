import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { organisationPath, usePlace } from '../layout/place';

/** Leads to where somebody has last been. */
export function Home(): ReactNode {
  const { organisation } = usePlace();
  return <Navigate to={organisation ? organisationPath(organisation.id, 'clients') : '/organisations/new'} replace />;
}
