import { type Reference, references } from './contents';
import { escape } from './html';
import { type BaseUrls, documentOf, linkList, rootOf } from './layout';

/** The page of an API reference. Redoc draws the OpenAPI document that the browser reads from the API itself. */
export function referencePage(reference: Reference, urls: BaseUrls): string {
  const root = rootOf(urls);
  const address = escape(urls[reference.base] + reference.path);
  const pathOf = (name: string): string => `${root}/reference/${name}`;
  const links = references.map(({ name, title }) => ({ path: pathOf(name), title }));
  return documentOf({
    title: `${reference.title} - Tributary`,
    description: reference.summary,
    root,
    head: `<link rel="stylesheet" href="${root}/assets/reference.css">
<script src="${root}/assets/redoc.standalone.js" defer></script>
<script src="${root}/assets/reference.js" defer></script>
`,
    header: `<nav aria-label="API reference">${linkList(links, pathOf(reference.name))}</nav>
`,
    body: `<main id="content">
<p class="document">OpenAPI document: <a href="${address}">${address}</a></p>
<noscript><p class="document">Scripts draw this page. The document itself can be read without them.</p></noscript>
<p class="document" role="alert" hidden>The OpenAPI document of this API cannot be read at the moment. Load the page again in a minute.</p>
<div id="reference" data-document="${address}"></div>
</main>`,
  });
}
