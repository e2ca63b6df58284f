import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StaticFile, compressedFiles, textFile } from '@tributary/service-kit';
import { type Page, type Reference, factPages, guides, landingPage, notFoundPage, references } from './contents';
import { escape } from './html';
import { type BaseUrls, type Section, layout, navigationOf, rootOf } from './layout';
import { referencePage } from './reference-page';
import { renderMarkdown } from './render-markdown';

/** What `build/main.mjs` puts beside the compiled code. */
const built = join(__dirname, '..', 'dist');

/**
 * The files of the site by their path, such as `/docs/quick-start`, `/docs/quick-start.md` and `/llms.txt`. They are
 * about 40, so all of them are rendered and compressed once, and kept in memory.
 * @param sandboxUrl where there is a sandbox
 */
export async function buildSite(urls: BaseUrls, sandboxUrl?: string): Promise<Map<string, StaticFile>> {
  const root = rootOf(urls);
  const pages = [landingPage, notFoundPage, ...guides, ...factPages];
  const navigation = navigationOf(root);
  const files = new Map<string, StaticFile>();
  const texts = new Map(pages.map((page) => [page, withAddresses(readPage(page), urls, sandboxUrl)]));

  for (const [page, text] of texts) {
    const path = page === landingPage ? '/docs' : `/docs/${page.name}`;
    files.set(
      path,
      await textFile('text/html', pageDocument(page, text, { root, path: root + path.slice(5), navigation })),
    );
    files.set(`/docs/${page.name}.md`, await textFile('text/markdown', text));
  }
  for (const reference of references)
    files.set(`/docs/reference/${reference.name}`, await textFile('text/html', referencePage(reference, urls)));
  for (const [name, file] of compressedFiles(join(built, 'assets'))) files.set(`/docs/assets/${name}`, file);

  const index = listOfPages(urls);
  files.set('/llms.txt', await textFile('text/plain', index));
  files.set('/docs/llms.txt', await textFile('text/plain', index));
  files.set(
    '/docs/llms-full.txt',
    await textFile(
      'text/plain',
      [...texts]
        .filter(([page]) => page !== notFoundPage)
        .map(([, text]) => text)
        .join('\n\n---\n\n'),
    ),
  );
  return files;
}

/** A link of Markdown that is neither an address nor a section of the page. */
const fileLink = /\[([^\]]+)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)/g;

/** All pages are in one folder of the site. Of a link to another file of the repository, the words stay. */
function readPage({ name }: Page): string {
  const text = readFileSync(join(built, 'pages', `${name}.md`), 'utf8');
  return text.replaceAll(fileLink, (_link, words: string, file: string, section = '') => {
    const page = pageOf(file);
    return page ? `[${words}](${page.name}.md${section})` : words;
  });
}

function pageOf(file: string): Page | undefined {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return [landingPage, ...guides, ...factPages].find((page) => `${page.name}.md` === name);
}

/** Replaces the addresses of a suite on this machine, which the tests of the pages use, by the public ones. */
function withAddresses(text: string, urls: BaseUrls, sandboxUrl = '{sandbox}'): string {
  return text
    .replaceAll('http://localhost:4000', urls.base_url)
    .replaceAll('http://localhost:4001', urls.auth_url)
    .replaceAll('http://localhost:4002', urls.search_url)
    .replaceAll('http://localhost:4003', urls.analytics_url)
    .replaceAll('http://localhost:4004', sandboxUrl);
}

interface Place {
  root: string;
  path: string;
  navigation: readonly Section[];
}

function pageDocument(page: Page, text: string, { root, path, navigation }: Place): string {
  const { html, headings } = renderMarkdown(text, {
    linkTo: (file) => {
      const target = pageOf(file);
      return target && (target === landingPage ? root : `${root}/${target.name}`);
    },
    drawingOf,
  });
  const content = page === landingPage ? html + cards(root) : html;
  const title = page === landingPage ? page.title : `${page.title} - Tributary`;
  return layout({ title, description: page.summary, path, root, navigation, headings, content });
}

/** The drawing that the build has made of a diagram. */
function drawingOf(source: string): string | undefined {
  const file = join(built, 'diagrams', `${createHash('sha256').update(source).digest('hex')}.svg`);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function cards(root: string): string {
  const list = (title: string, items: readonly (Page | Reference)[], folder: string): string =>
    `<h2>${title}</h2><ul class="cards">${items
      .map(
        ({ name, title: heading, summary }) =>
          `<li><a class="card" href="${root}${folder}/${name}"><strong>${escape(heading)}</strong><span class="muted">${escape(summary)}</span></a></li>`,
      )
      .join('')}</ul>`;
  return list('Guides', guides, '') + list('Facts', factPages, '') + list('API reference', references, '/reference');
}

/** An index of the site for language models, as https://llmstxt.org describes it. */
function listOfPages(urls: BaseUrls): string {
  const lines = (pages: readonly Page[]): string =>
    pages.map(({ name, title, summary }) => `- [${title}](${urls.base_url}/docs/${name}.md): ${summary}`).join('\n');
  return `# Tributary

> Tributary connects the users of an application to their health systems with SMART on FHIR, collects their clinical data, answers FHIR queries (DSTU2, STU3, R4) with the user's bearer token, and exports NDJSON in bulk.

Base URLs: users, connect and FHIR ${urls.base_url}, tokens ${urls.auth_url}, health systems ${urls.search_url}, bulk export ${urls.analytics_url}.

## Guides

${lines(guides)}

## Facts

${lines(factPages)}

## OpenAPI documents

${references.map(({ title, summary, base, path }) => `- [${title}](${urls[base]}${path}): ${summary}`).join('\n')}

## Optional

- [All pages in one file](${urls.base_url}/docs/llms-full.txt)
`;
}
