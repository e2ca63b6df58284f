import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Page } from '../components/page';

export function UnknownPage(): ReactNode {
  return (
    <Page title="There is no such page">
      <p>
        The address may be mistyped, or what it named is deleted, or you are no member of its organisation.{' '}
        <Link to="/">Go to your applications</Link>
      </p>
    </Page>
  );
}
