import type { ReactNode } from 'react';

const paths = {
  bad: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 5v3.5M8 11h.01',
  warning: 'M8 2 1.5 13.5h13L8 2ZM8 6.5v3M8 11.5h.01',
  good: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM5 8.2l2 2 4-4.2',
  waiting: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 4.5V8l2.5 1.5',
  off: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM5 8h6',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  down: 'M4 6l4 4 4-4',
  menu: 'M2 4h12M2 8h12M2 12h12',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
} as const;
export type IconName = keyof typeof paths;

/** An icon beside the word that it stands for. */
export function Icon({ name }: { name: IconName }): ReactNode {
  return (
    <svg
      className="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
