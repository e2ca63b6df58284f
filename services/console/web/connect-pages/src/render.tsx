import { renderToString } from 'react-dom/server';
import type { PageData } from '../../../src/connect-pages/screens/screens';
import { PageView } from './page-view';
import { titleOf } from './title';

/** Renders a page to HTML, which the browser takes over. */
export function render(data: PageData): { title: string; html: string } {
  return { title: titleOf(data), html: renderToString(<PageView data={data} />) };
}
