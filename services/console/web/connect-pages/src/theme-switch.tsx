import { type ReactNode, useSyncExternalStore } from 'react';
import type { Theme } from '../../../src/connect-pages/screens/screens';
import { useWording } from './texts/texts';

const isDark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');
const root = (): HTMLElement => document.documentElement;

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(root(), { attributes: true, attributeFilter: ['data-theme'] });
  const query = isDark();
  query.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    query.removeEventListener('change', changed);
  };
}

const shown = (): Theme => (root().dataset['theme'] as Theme | undefined) ?? (isDark().matches ? 'dark' : 'light');

/** Switches between the themes. The server does not know the theme of the device, so the button comes with scripts. */
export function ThemeSwitch(): ReactNode {
  const { texts } = useWording();
  const theme = useSyncExternalStore(subscribe, shown, () => undefined);
  if (theme === undefined) return null;
  const other: Theme = theme === 'dark' ? 'light' : 'dark';
  const choose = (): void => {
    root().dataset['theme'] = other;
    document.cookie = `connect-theme=${other}; Path=/; Max-Age=31536000; SameSite=Lax`;
  };
  return (
    <button type="button" className="quiet" onClick={choose}>
      {texts.theme[other]}
    </button>
  );
}
