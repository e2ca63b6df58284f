import { Fragment, type ReactNode, createContext, useContext } from 'react';
import type { Language } from '../../../../src/connect-pages/screens/screens';
import { type Texts, english } from './english';
import { spanish } from './spanish';

const textsOf: Record<Language, Texts> = { en: english, es: spanish };

interface Wording {
  language: Language;
  texts: Texts;
  /** The name of the application, for `{app}`. */
  app: ReactNode;
}

export function wordingOf(language: Language, appName: string | undefined): Wording {
  const texts = textsOf[language];
  return { language, texts, app: appName === undefined ? texts.app : <Name>{appName}</Name> };
}

const WordingContext = createContext<Wording>(wordingOf('en', undefined));
export const WordingProvider = WordingContext.Provider;

export function useWording(): Wording {
  return useContext(WordingContext);
}

/** A text whose placeholders are replaced; `{app}` is known. */
export function Text({ of, values = {} }: { of: string; values?: Readonly<Record<string, ReactNode>> }): ReactNode {
  const { app } = useWording();
  const all: Readonly<Record<string, ReactNode>> = { app, ...values };
  return of
    .split(/\{(\w+)\}/)
    .map((part, index) => <Fragment key={index}>{index % 2 === 0 ? part : all[part]}</Fragment>);
}

/** Without effect in a name, or with one on the text after it. Two joiners are letters in some scripts. */
const invisible = /[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200c|\u200d)\p{Cf}/gu;

/** A text that somebody else has chosen, isolated from the direction of the text around it. */
function isolated(text: string, className?: string): ReactNode {
  return <bdi className={className}>{text.replace(invisible, '').trim()}</bdi>;
}

export function Name({ children }: { children: string }): ReactNode {
  return isolated(children);
}

export function Address({ children }: { children: string }): ReactNode {
  return isolated(children, 'plain');
}

/** The form of a text for a number. */
export function counted(
  language: Language,
  forms: { none: string; one: string; other: string },
  count: number,
): string {
  const form = count === 0 ? forms.none : count === 1 ? forms.one : forms.other;
  return form.replace('{count}', new Intl.NumberFormat(language).format(count));
}

/** Where roads are signed in miles. */
const regionsOfMiles: ReadonlySet<string | undefined> = new Set(['US', 'GB', 'PR', 'LR']);
const kmOfMile = 1.609_344;

/**
 * A distance as the region of the browser measures it. The places of user and health system are known to about ten
 * kilometers, so a shorter distance is not told.
 */
export function distanceOf(language: Language, km: number): string {
  const locale = typeof navigator === 'undefined' ? language : navigator.language;
  const isInMiles = regionsOfMiles.has(new Intl.Locale(locale).maximize().region);
  const [unit, count] = isInMiles ? ['mile', Math.max(5, km / kmOfMile)] : ['kilometer', Math.max(10, km)];
  const format = { style: 'unit', unit: String(unit), unitDisplay: 'long', maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(language, format).format(Number(count));
}

/** A number of days, in years where it has whole ones. */
export function timeOf(language: Language, days: number): string {
  const [unit, count] = days % 365 === 0 ? ['year', days / 365] : ['day', days];
  return new Intl.NumberFormat(language, { style: 'unit', unit: String(unit), unitDisplay: 'long' }).format(
    Number(count),
  );
}
