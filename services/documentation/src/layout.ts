import { type Page, type Reference, factPages, guides, references } from './contents';
import { escape } from './html';
import type { Heading } from './render-markdown';

/** The public base URLs, as the pages show them. */
export interface BaseUrls {
  base_url: string;
  auth_url: string;
  search_url: string;
  analytics_url: string;
}

export interface Section {
  title: string;
  links: readonly { path: string; title: string }[];
}

/** The path under which the site is served. */
export function rootOf({ base_url }: BaseUrls): string {
  return `${new URL(base_url).pathname.replace(/\/$/, '')}/docs`;
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
  /** The page itself, as HTML. */
  content: string;
}

/** The sections of the navigation. */
export function navigationOf(root: string): Section[] {
  const links = (pages: readonly (Page | Reference)[], folder: string): Section['links'] =>
    pages.map(({ name, title }) => ({ path: `${root}${folder}/${name}`, title }));
  return [
    { title: 'Guides', links: links(guides, '') },
    { title: 'Facts', links: links(factPages, '') },
    { title: 'API reference', links: links(references, '/reference') },
  ];
}

/** A page of Markdown, with the list of all pages and of its sections beside it. */
export function layout(options: LayoutOptions): string {
  const { title, description, path, root, navigation, headings, content } = options;
  const sections = navigation
    .map((section) => `<h2>${escape(section.title)}</h2>${linkList(section.links, path)}`)
    .join('');
  const contents =
    headings.length < 2
      ? ''
      : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${headings
          .map(({ id, text }) => `<li><a href="#${id}">${escape(text)}</a></li>`)
          .join('')}</ul></nav>`;
  const body = `<div class="columns">
<nav class="site" aria-label="Documentation"><details open><summary>All pages</summary>${sections}</details></nav>
<main id="content">
${content}
</main>
${contents}
</div>`;
  return documentOf({ title, description, root, body });
}

/** The page of the path is marked. */
export function linkList(links: Section['links'], path: string): string {
  const items = links.map(
    ({ path: target, title }) =>
      `<li><a href="${target}"${target === path ? ' aria-current="page"' : ''}>${escape(title)}</a></li>`,
  );
  return `<ul>${items.join('')}</ul>`;
}

interface DocumentOptions extends Pick<LayoutOptions, 'title' | 'description' | 'root'> {
  /** More of the head and of the header, as HTML. */
  head?: string;
  header?: string;
  /** With an element of the id `content`. */
  body: string;
}

/** An HTML document. It has no inline script and no inline style, as the Content-Security-Policy demands. */
export function documentOf({ title, description, root, head = '', header = '', body }: DocumentOptions): string {
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
<script src="${root}/assets/site.js" defer></script>
${head}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${root}">Tributary <span>for developers</span></a>
${header}<button type="button" id="theme" hidden>Theme</button>
</header>
${body}
</body>
</html>
`;
}
