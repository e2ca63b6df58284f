import { bundleEntry } from './brands-format';
import { readListRow } from './list-row';
import type { FileFormat, LoadCounts } from './load-report';
import { type EndpointOptions, type ReadEndpoint, findReleases, readEndpoint } from './read-endpoint';
import { type ReadOrganization, readOrganization } from './read-organization';
import { type FileElement, splitFile } from './split-file';

export interface ReadingOptions extends EndpointOptions {
  /** Reads rows of endpoint lists whose address is that of a test system. */
  keepTestSystems: boolean;
}

/** The organizations and endpoints of a file, in memory. Other resources are ignored. */
export class DirectoryFile {
  format: FileFormat = 'brands';
  organizationCount = 0;
  #endpointResources = 0;
  readonly #organizations = new Map<string, ReadOrganization>();
  readonly #endpoints = new Map<string, ReadEndpoint>();

  private constructor(
    private readonly options: ReadingOptions,
    private readonly counts: LoadCounts,
  ) {}

  /**
   * @param onRead called now and then with what was read so far
   * @throws InvalidFile
   */
  static async read(
    bytes: AsyncIterable<Uint8Array>,
    options: ReadingOptions,
    counts: LoadCounts,
    onRead: (file: DirectoryFile) => void,
  ): Promise<DirectoryFile> {
    const file = new DirectoryFile(options, counts);
    let ordinal = 0;
    for await (const element of splitFile(bytes)) {
      ordinal++;
      if (element.member === 'entry') file.#addEntry(element, `entry ${ordinal}`);
      else file.#addRow(element, `row ${ordinal}`);
      if (ordinal % 500 === 0) onRead(file);
    }
    onRead(file);
    return file;
  }

  /** In the order of their publication, each once. */
  get organizations(): Iterable<ReadOrganization> {
    return this.#organizations.values();
  }

  /** In the order of their publication, equal ones once. */
  get endpoints(): Iterable<ReadEndpoint> {
    return this.#endpoints.values();
  }

  get endpointCount(): number {
    return this.format === 'list' ? this.#endpoints.size : this.#endpointResources;
  }

  /** Adds an element of `Bundle.entry`. */
  #addEntry(element: FileElement, position: string): void {
    const entry = 'value' in element ? bundleEntry.safeParse(element.value) : undefined;
    if (!entry?.success) {
      this.counts.reject('entry', position, 'problem' in element ? element.problem : 'holds no resource');
      return;
    }
    const { fullUrl, resource } = entry.data;
    if (resource.resourceType === 'Organization') {
      this.organizationCount++;
      const read = readOrganization(resource, fullUrl);
      if ('problem' in read) this.counts.reject('Organization', fullUrl ?? position, read.problem, resource['name']);
      else this.#addOrganization(read.value);
    } else if (resource.resourceType === 'Endpoint') {
      this.#endpointResources++;
      const read = readEndpoint(resource, fullUrl, this.options);
      if ('problem' in read) this.counts.reject('Endpoint', fullUrl ?? position, read.problem, resource['address']);
      else this.#addEndpoint(read.value);
    }
  }

  /** Adds a row of an endpoint list: an organization, and its endpoint unless another row had it. */
  #addRow(element: FileElement, position: string): void {
    this.format = 'list';
    this.organizationCount++;
    const read = 'value' in element ? readListRow(element.value, this.options) : { problem: element.problem };
    if ('problem' in read) {
      const value = 'value' in element ? (element.value as { URL?: unknown; OrganizationName?: unknown }) : {};
      const isNamed = typeof value.OrganizationName === 'string' && value.OrganizationName.trim() !== '';
      this.counts.reject('Organization', position, read.problem, isNamed ? value.OrganizationName : value.URL);
      return;
    }
    const { address, content } = read.value;
    const found = findReleases([], address, this.options.release);
    if (found === 'other') {
      this.counts.reject('Organization', position, 'FHIR version is not offered', content.name);
      return;
    }
    this.#addOrganization(read.value);
    this.#addEndpoint({ keys: [address], address, ...found });
  }

  #addOrganization(organization: ReadOrganization): void {
    const { key, content } = organization;
    if (!isStorable(organization))
      this.counts.reject('Organization', key, 'a text that cannot be stored', content.name);
    else if (!this.#organizations.has(key)) this.#organizations.set(key, organization);
    else if (this.format === 'list') this.counts.merge('the same row again', content.name, 1);
    else this.counts.reject('Organization', key, 'published twice', content.name);
  }

  #addEndpoint(endpoint: ReadEndpoint): void {
    const { keys, address, releases } = endpoint;
    const id = JSON.stringify([keys, address, releases]);
    if (!isStorable(keys)) this.counts.reject('Endpoint', keys[0]!, 'a text that cannot be stored', address);
    else if (!this.#endpoints.has(id)) this.#endpoints.set(id, endpoint);
  }
}

/** PostgreSQL stores no NUL, and no half of a surrogate pair in JSON. JSON.stringify escapes both. */
function isStorable(value: object): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(JSON.stringify(value));
}
