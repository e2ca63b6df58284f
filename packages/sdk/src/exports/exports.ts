import type { ExportEntry, ExportList, ExportManifest, ExportedFile, FhirVersion } from '../api-types.ts';
import { ownLink } from '../addresses.ts';
import { IncompleteDownloadError, NetworkError, TimeoutError, TributaryError } from '../http/errors.ts';
import type { CallOptions, Http, HttpRequest } from '../http/http.ts';
import { pause } from '../http/retry.ts';
import type { FhirResource } from '../fhir/fhir-types.ts';
import { ExportJob } from './export-job.ts';
import { merge } from './merge.ts';
import { lineBatches } from './ndjson.ts';

/** What is exported; all of it by default. */
export interface ExportParameters {
  /** Resource types. */
  _type?: readonly string[];
  /** Only resources that were changed after this time: `transactionTime` of the last export. */
  _since?: string | Date;
  _elements?: readonly string[];
  /** Searches, such as `Observation?status=final`. */
  _typeFilter?: readonly string[];
  /** `application/fhir+ndjson;fhirVersion=4.0` converts resources of DSTU2 and STU3 to R4. */
  _outputFormat?: string;
  /** With a conversion to R4: of each health system, only the newest release in which the record has the user. */
  _releasePerSource?: 'newest';
  /**
   * Ids of Patients, or `Patient/id`: only the resources of their compartments, without those to which they refer, such
   * as Medication and Practitioner. `fhir.everything` brings them.
   */
  patient?: string | readonly string[];
}

/** The lines of a download that have been yielded, of those that the manifest promises. */
export interface DownloadProgress {
  files: number;
  totalFiles: number;
  lines: number;
  totalLines: number;
}

export interface DownloadOptions extends CallOptions {
  /** Files that are downloaded at the same time, at least 1; 4 by default. */
  concurrency?: number;
  onProgress?: (progress: DownloadProgress) => void;
}

/** A resource of an export, with the file that contains it. */
export interface ExportedResource {
  resource: FhirResource<FhirVersion>;
  file: ExportedFile;
}

interface FileBatch {
  file: ExportedFile;
  lines: string[];
  isLast: boolean;
}

/** Interruptions in succession, without a new line between them, after which a download is resumed. */
const maxInterruptions = 5;

/** Bulk export (https://hl7.org/fhir/uv/bulkdata/export.html) of one user, or of all users of the client. */
export class Exports {
  readonly #http: Http;
  readonly #base: string;
  readonly #firstPauseMs: number;

  /** @param options.firstPauseMs the pause before an interrupted download is resumed; it doubles with each one */
  constructor(http: Http, analyticsUrl: string, { firstPauseMs = 1000 } = {}) {
    this.#http = http;
    this.#firstPauseMs = firstPauseMs;
    this.#base = `${analyticsUrl}/bulk-data/r4`;
  }

  /** Exports, and returns the manifest at once. @throws ApiError 413 when it is too large: use `start` */
  async export(parameters: ExportParameters = {}, options?: CallOptions): Promise<ExportManifest> {
    return this.#http.json({ ...this.#request(parameters), isIdempotent: true }, options);
  }

  /** Starts an asynchronous export. @throws ApiError 429 when too many are not finished */
  async start(parameters: ExportParameters = {}, options?: CallOptions): Promise<ExportJob> {
    const request = this.#request(parameters);
    const { response } = await this.#http.send(
      {
        ...request,
        headers: { ...request.headers, Accept: 'application/fhir+json', Prefer: 'respond-async' },
        // A repetition would start another export.
        isIdempotent: false,
      },
      options,
    );
    const statusUrl = response.headers.get('content-location');
    if (statusUrl === null) throw new TributaryError('the response has no Content-Location');
    return this.job(statusUrl);
  }

  /** An export that was started before, also by another process. */
  job(statusUrl: string): ExportJob {
    return new ExportJob(this.#http, ownLink(statusUrl, this.#base));
  }

  /** One page of the asynchronous exports that have not expired, newest first. `limit` is 20, at most 100. */
  page(parameters: Partial<{ offset: number; limit: number }> = {}, options?: CallOptions): Promise<ExportList> {
    const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
    return this.#http.json({ method: 'GET', url: `${this.#base}/$export-status?${query}` }, options);
  }

  /** All asynchronous exports that have not expired, in pages of 100: `job(status_url)` continues with one. */
  async *list(options?: CallOptions): AsyncGenerator<ExportEntry, void, undefined> {
    for (let offset = 0; ;) {
      const { entry, total } = await this.page({ offset, limit: 100 }, options);
      yield* entry;
      offset += entry.length;
      if (entry.length === 0 || offset >= total) return;
    }
  }

  /** The lines of a file as texts, which keep the digits of decimals as they are stored. */
  async *lines(file: ExportedFile, options?: CallOptions): AsyncGenerator<string, void, undefined> {
    for await (const lines of this.#batches(file, options)) yield* lines;
  }

  /**
   * The resources of all files of `output`, which are downloaded in parallel, as fast as they are consumed. Their order
   * changes from one download to the next.
   * @throws IncompleteDownloadError, ApiError (410 when the export has expired), NetworkError, TimeoutError, RangeError
   */
  async *resources(
    { output }: Pick<ExportManifest, 'output'>,
    { concurrency = 4, onProgress, ...options }: DownloadOptions = {},
  ): AsyncGenerator<ExportedResource, void, undefined> {
    if (!(concurrency >= 1)) throw new RangeError('concurrency must be at least 1');
    const progress = {
      files: 0,
      totalFiles: output.length,
      lines: 0,
      totalLines: output.reduce((sum, { count }) => sum + count, 0),
    };
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, ...(options.signal ? [options.signal] : [])]);
    const sources = output.map((file) => () => this.#fileBatches(file, { ...options, signal }));
    try {
      for await (const { file, lines, isLast } of merge(sources, concurrency)) {
        for (const line of lines) yield { resource: JSON.parse(line) as FhirResource<FhirVersion>, file };
        progress.lines += lines.length;
        if (isLast) progress.files++;
        onProgress?.({ ...progress });
      }
    } finally {
      // The reader has left, or a download has failed.
      ended.abort();
    }
    if (progress.files !== progress.totalFiles)
      throw new IncompleteDownloadError(`${progress.files} of ${progress.totalFiles} files were downloaded`);
  }

  async *#fileBatches(file: ExportedFile, options: CallOptions): AsyncGenerator<FileBatch, void, undefined> {
    for await (const lines of this.#batches(file, options)) yield { file, lines, isLast: false };
    yield { file, lines: [], isLast: true };
  }

  /**
   * The lines of a file. An interrupted download begins again, without the lines that were yielded: a file has the same
   * bytes at each download.
   */
  async *#batches(file: ExportedFile, options: CallOptions = {}): AsyncGenerator<string[], void, undefined> {
    let yielded = 0;
    for (let interruptions = 0; ;) {
      let read = 0;
      try {
        const response = await this.#http.open(
          { method: 'GET', url: ownLink(file.url, this.#base), headers: { Accept: 'application/fhir+ndjson' } },
          options,
        );
        for await (const lines of lineBatches(response.body ?? new Blob().stream())) {
          const fresh = lines.slice(yielded - read);
          read += lines.length;
          if (fresh.length === 0) continue;
          yielded += fresh.length;
          interruptions = 0;
          yield fresh;
        }
        break;
      } catch (error) {
        if (!(error instanceof NetworkError || error instanceof TimeoutError)) throw error;
        if (++interruptions > maxInterruptions) throw error;
        await pause(this.#firstPauseMs * 2 ** (interruptions - 1) * (0.5 + Math.random()), options.signal);
      }
    }
    if (yielded !== file.count)
      throw new IncompleteDownloadError(`a file of ${file.type} has ${yielded} lines instead of ${file.count}`);
  }

  /** A request by GET, or by POST with `patient`, which the service does not take from an address. */
  #request({ patient, ...others }: ExportParameters): HttpRequest {
    const url = `${this.#base}/$export`;
    const texts = Object.entries(others).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, textOf(value)]],
    );
    if (patient === undefined)
      return { method: 'GET', url: texts.length === 0 ? url : `${url}?${new URLSearchParams(texts)}` };
    const patients = [patient].flat();
    // Without any of them the export would have the data of all.
    if (patients.length === 0) throw new TypeError('patient is an empty list: name a Patient, or leave it out');
    const parameter = [
      ...texts.map(([name, valueString]) => ({ name, valueString })),
      ...patients.map((id) => ({
        name: 'patient',
        valueReference: { reference: `Patient/${id.replace(/^Patient\//, '')}` },
      })),
    ];
    return {
      method: 'POST',
      url,
      headers: { 'Content-Type': 'application/fhir+json' },
      body: JSON.stringify({ resourceType: 'Parameters', parameter }),
    };
  }
}

function textOf(value: string | Date | readonly string[]): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : value.join(',');
}
