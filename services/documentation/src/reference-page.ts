import { type Reference, references } from './contents';
import { escape } from './html';
import { type BaseUrls, rootOf } from './layout';

/**
 * The page of an API reference. Redoc draws the OpenAPI document that the browser reads from the API itself. The page
 * has a style sheet of its own, as that of the site would change what Redoc draws.
 */
export function referencePage(reference: Reference, urls: BaseUrls): string {
  const root = rootOf(urls);
  const address = escape(urls[reference.base] + reference.path);
  const links = references.map(
    ({ name, title }) =>
      `<li><a href="${root}/reference/${name}"${name === reference.name ? ' aria-current="page"' : ''}>${escape(title)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(reference.title)} - Tributary</title>
<meta name="description" content="${escape(reference.summary)}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}/assets/reference.css">
<script src="${root}/assets/redoc.standalone.js" defer></script>
<script src="${root}/assets/reference.js" defer></script>
</head>
<body>
<header>
<a class="home" href="${root}">Tributary <span>for developers</span></a>
<nav aria-label="API reference"><ul>${links.join('')}</ul></nav>
</header>
<main>
<p class="document">OpenAPI document: <a href="${address}">${address}</a></p>
<noscript><p class="document">Scripts draw this page. The document itself can be read without them.</p></noscript>
<p class="document" role="alert" hidden>The OpenAPI document of this API cannot be read at the moment. Load the page again in a minute.</p>
<div id="reference" data-document="${address}"></div>
</main>
</body>
</html>
`;
}
