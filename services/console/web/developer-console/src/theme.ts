import { useSyncExternalStore } from 'react';
import { facts } from './facts';

export type Theme = 'light' | 'dark';

const isDark = matchMedia('(prefers-color-scheme: dark)');
const { dataset } = document.documentElement;

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  isDark.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    isDark.removeEventListener('change', changed);
  };
}

const shown = (): Theme => (dataset['theme'] as Theme | undefined) ?? (isDark.matches ? 'dark' : 'light');

/** The theme that is shown, and what switches to the other one. The server reads the cookie. */
export function useTheme(): { other: Theme; change: () => void } {
  const other = useSyncExternalStore(subscribe, shown) === 'dark' ? 'light' : 'dark';
  const change = (): void => {
    dataset['theme'] = other;
    document.cookie = `console-theme=${other}; Path=${facts.root}; Max-Age=31536000; SameSite=Lax`;
  };
  return { other, change };
}
