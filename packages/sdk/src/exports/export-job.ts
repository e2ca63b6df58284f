import type { ExportManifest } from '../api-types.ts';
import type { CallOptions, Http } from '../http/http.ts';
import { pause } from '../http/retry.ts';
import { readRetryAfter } from '../http/errors.ts';

export type ExportStatus =
  | {
      state: 'running';
      /** `X-Progress`, for example `planning, 40% done`. */
      progress: string | undefined;
      /** When to request the status again, in milliseconds. */
      retryAfterMs: number;
    }
  | { state: 'finished'; manifest: ExportManifest };

export interface WaitForExportOptions extends CallOptions {
  /** Is called with `X-Progress` whenever the status was read. */
  onProgress?: (progress: string | undefined) => void;
}

const defaultRetryAfterMs = 2000;

/** An asynchronous export. Another process continues with it by `exports.job(statusUrl)`. */
export class ExportJob {
  readonly #http: Http;
  /** `Content-Location` of the export request. */
  readonly statusUrl: string;

  constructor(http: Http, statusUrl: string) {
    this.#http = http;
    this.statusUrl = statusUrl;
  }

  /** @throws ApiError when the export has failed, 404 when it was cancelled or has expired */
  async status(options?: CallOptions): Promise<ExportStatus> {
    const { response, body } = await this.#http.send({ method: 'GET', url: this.statusUrl }, options);
    if (response.status === 200) return { state: 'finished', manifest: body as ExportManifest };
    return {
      state: 'running',
      progress: response.headers.get('x-progress') ?? undefined,
      retryAfterMs: readRetryAfter(response.headers.get('retry-after')) ?? defaultRetryAfterMs,
    };
  }

  /** Reads the status at the times that the service names, until the export is finished. @throws as `status` */
  async wait({ onProgress, ...options }: WaitForExportOptions = {}): Promise<ExportManifest> {
    for (;;) {
      const status = await this.status(options);
      if (status.state === 'finished') return status.manifest;
      onProgress?.(status.progress);
      await pause(Math.max(100, status.retryAfterMs) * (1 + Math.random() / 4), options.signal);
    }
  }

  /** Cancels the export, or deletes a finished one and its files. */
  async cancel(options?: CallOptions): Promise<void> {
    await this.#http.send({ method: 'DELETE', url: this.statusUrl }, options);
  }
}
