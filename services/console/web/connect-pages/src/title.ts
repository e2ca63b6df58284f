import type { PageData } from '../../../src/connect-pages/screens/screens';
import { wordingOf } from './texts/texts';

/** The title of the document. */
export function titleOf({ language, appName, screen }: PageData): string {
  const { texts } = wordingOf(language, appName);
  const titles = {
    search: () => texts.search.label,
    review: () => texts.review.title,
    places: () => texts.places.title,
    window: () => texts.window.title,
    error: () => (screen.name === 'error' ? texts.errors[screen.error].title : ''),
  };
  return titles[screen.name]().replace('{app}', appName ?? texts.app);
}
