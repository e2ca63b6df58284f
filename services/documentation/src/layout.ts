import type { Page, Reference } from './contents';
import type { Heading } from './render-markdown';

export interface Section {
  title: string;
  links: readonly { path: string; title: string }[];
}

export interface LayoutOptions {
  title: string;
  description: string;
  /** The path of this page. */
  path: string;
  /** The path under which the site is served, such as `/docs`. */
  root: string;
  navigation: readonly Section[];
  headings: readonly Heading[];
  /** The HTML of the page itself. */
  content: string;
  /** Further scripts of the page, by their names among the assets. */
  scripts?: readonly string[];
  /** Whether the page uses the whole width, without a table of contents. */
  isWide?: boolean;
}

/** The sections of the navigation. */
export function navigationOf(
  root: string,
  {
    guides,
    factPages,
    references,
  }: { guides: readonly Page[]; factPages: readonly Page[]; references: readonly Reference[] },
): Section[] {
  const links = (pages: readonly (Page | Reference)[], folder: string): Section['links'] =>
    pages.map(({ name, title }) => ({ path: `${root}${folder}/${name}`, title }));
  return [
    { title: 'Guides', links: links(guides, '') },
    { title: 'Facts', links: links(factPages, '') },
    { title: 'API reference', links: links(references, '/reference') },
  ];
}

/** An HTML document. It has no inline script and no inline style, as the Content-Security-Policy demands. */
export function layout(options: LayoutOptions): string {
  const { title, description, path, root, navigation, headings, content, scripts = [], isWide = false } = options;
  const sections = navigation
    .map(
      (section) =>
        `<h2>${escape(section.title)}</h2><ul>${section.links
          .map(
            (link) =>
              `<li><a href="${link.path}"${link.path === path ? ' aria-current="page"' : ''}>${escape(link.title)}</a></li>`,
          )
          .join('')}</ul>`,
    )
    .join('');
  const contents =
    isWide || headings.length < 2
      ? ''
      : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${headings
          .map(({ id, text }) => `<li><a href="#${id}">${escape(text)}</a></li>`)
          .join('')}</ul></nav>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<meta name="description" content="${escape(description)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<script src="${root}/assets/theme.js"></script>
<link rel="stylesheet" href="${root}/assets/site.css">
${['site.js', ...scripts].map((name) => `<script src="${root}/assets/${name}" defer></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${root}">Tributary <span>for developers</span></a>
<button type="button" id="theme" hidden>Theme</button>
</header>
<div class="columns${isWide ? ' wide' : ''}">
<nav class="site" aria-label="Documentation"><details open><summary>All pages</summary>${sections}</details></nav>
<main id="content">
${content}
</main>
${contents}
</div>
</body>
</html>
`;
}

/** Escapes text for HTML. */
export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
