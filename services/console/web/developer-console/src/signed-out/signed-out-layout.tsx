import type { ReactNode } from 'react';
import { Outlet } from 'react-router';
import { facts } from '../facts';
import { useTheme } from '../theme';

/** The frame of the pages for which no one need be signed in. */
export function SignedOutLayout(): ReactNode {
  const { other, change } = useTheme();
  return (
    <div className="signed-out">
      <header>Tributary</header>
      <main className="narrow">
        <Outlet />
      </main>
      <footer>
        <a href={`${facts.urls.base_url}/docs`}>Documentation</a>
        <button type="button" className="quiet" onClick={change}>
          {other === 'dark' ? 'Dark theme' : 'Light theme'}
        </button>
      </footer>
    </div>
  );
}
