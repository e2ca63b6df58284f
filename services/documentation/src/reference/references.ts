import { GuardedHttp } from '@tributary/outbound';
import type { ApiOptions } from '@tributary/service-kit';
import { type Reference, references } from '../contents';
import { html } from '../html';
import { type BaseUrls, layout, navigationOf, rootOf } from '../layout';
import { type SiteFile, textFile } from '../site-file';
import { type OpenApiDocument, parseDocument } from './open-api-document';
import { referencePages } from './reference-pages';

export interface ReferencesOptions {
  /** The public addresses, which the pages show. */
  urls: BaseUrls;
  /** Where this process reaches them. */
  from: BaseUrls;
  log: ApiOptions['log'];
}

/** The pages of a document by the last part of their path, and the document that they were made of. */
interface Loaded {
  text: string;
  pages: ReadonlyMap<string, SiteFile>;
  /** By the clock of `performance.now()`. */
  checkedAtMs: number;
}

/** How long pages are served before the document is read again: a service has another one after its deployment. */
const maxAgeMs = 300_000;
const timeoutMs = 10_000;
const maxBytes = 64 * 1024 * 1024;
/** The configuration names the addresses, which are those of the suite itself. */
const http = new GuardedHttp({ allowPrivateAddresses: true });

/**
 * The pages of the API reference. A document is read from its service when one of its pages is first requested, so that
 * the services can start in any order. Later the pages are served as they are, while the document is read again.
 */
export class References {
  readonly #loaded = new Map<Reference, Loaded>();
  readonly #loading = new Map<Reference, Promise<Loaded>>();

  constructor(private readonly options: ReferencesOptions) {}

  /**
   * @param name the reference
   * @param page the last part of the path; empty for the first page
   * @returns the page; undefined when there is none; `unavailable` when the document cannot be read
   */
  async find(name: string, page: string): Promise<SiteFile | 'unavailable' | undefined> {
    const reference = references.find((one) => one.name === name);
    if (!reference) return undefined;
    const known = this.#loaded.get(reference);
    if (known && performance.now() - known.checkedAtMs < maxAgeMs) return known.pages.get(page);
    const loading = this.#load(reference).catch((error: unknown) => {
      this.options.log.warn({ reference: name, error: String(error) }, 'an OpenAPI document could not be read');
      return undefined;
    });
    if (known) return known.pages.get(page);
    const loaded = await loading;
    return loaded ? loaded.pages.get(page) : 'unavailable';
  }

  /** The page in place of those of a document that cannot be read. */
  unavailablePage(name: string): string {
    const { urls } = this.options;
    const reference = references.find((one) => one.name === name);
    const address = reference ? urls[reference.base] + reference.path : '';
    return layout({
      title: 'The reference is not available - Tributary',
      description: 'The OpenAPI document cannot be read at the moment.',
      path: `${rootOf(urls)}/reference/${name}`,
      root: rootOf(urls),
      navigation: navigationOf(rootOf(urls)),
      headings: [],
      content: html`<h1>${reference?.title ?? ''}</h1>
        <p role="alert">
          The OpenAPI document of this API cannot be read at the moment. Load the page again in a minute.
        </p>
        <p class="document">OpenAPI document: <a href="${address}">${address}</a></p>`,
    });
  }

  /** One request at a time for each document. */
  #load(reference: Reference): Promise<Loaded> {
    const loading =
      this.#loading.get(reference) ?? this.#read(reference).finally(() => this.#loading.delete(reference));
    this.#loading.set(reference, loading);
    return loading;
  }

  async #read(reference: Reference): Promise<Loaded> {
    const { status, text } = await http.request({
      method: 'GET',
      url: this.options.from[reference.base] + reference.path,
      totalMs: timeoutMs,
      maxBytes,
    });
    if (status !== 200) throw new Error(`${reference.name}: the answer has the status ${status}`);
    const known = this.#loaded.get(reference);
    const pages = known?.text === text ? known.pages : await pagesOf(reference, parseDocument(text), this.options.urls);
    const loaded = { text, pages, checkedAtMs: performance.now() };
    this.#loaded.set(reference, loaded);
    return loaded;
  }
}

async function pagesOf(
  reference: Reference,
  document: OpenApiDocument,
  urls: BaseUrls,
): Promise<ReadonlyMap<string, SiteFile>> {
  const root = rootOf(urls);
  const first = `${root}/reference/${reference.name}`;
  const pages = referencePages(reference, document, { path: first, address: urls[reference.base] + reference.path });
  const pathOf = (name: string): string => (name === '' ? first : `${first}/${name}`);
  const navigation = navigationOf(root, {
    path: first,
    links: pages
      .filter(({ name }) => name !== '')
      .map(({ name, title }) => ({ path: pathOf(name), title: title.replace(` - ${reference.title}`, '') })),
  });
  const files = new Map<string, SiteFile>();
  // One after the other: other requests are answered between two pages.
  for (const { name, title, summary, headings, content } of pages) {
    const text = layout({
      title: `${title} - Tributary`,
      description: summary,
      path: pathOf(name),
      root,
      navigation,
      headings,
      content,
      scripts: name === '' ? ['filter.js'] : [],
    });
    files.set(name, await textFile('text/html', text));
  }
  return files;
}
