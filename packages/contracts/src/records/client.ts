import { z } from 'zod';
import type { InternalHttp } from '../http/internal-http';
import {
  type UnresolvedReferences,
  type BatchResult,
  type BatchSource,
  type ReferenceResolution,
  unresolvedReferences,
  batchResult,
  referenceResolution,
} from './internal';

interface Context {
  requestId?: string | undefined;
  signal?: AbortSignal;
}

/** Typed calls to the internal API of fhir-store, which alone writes records. */
export class RecordsClient {
  constructor(private readonly http: InternalHttp) {}

  /**
   * Stores a batch of collected resources; storing the same batch again changes nothing.
   * @param ndjson the source resources, one a line, decimals with their text
   */
  storeBatch(
    serviceUserId: number,
    source: BatchSource,
    ndjson: string | Buffer,
    context: Context = {},
  ): Promise<BatchResult> {
    return this.http.call({
      method: 'POST',
      path: `/internal/v1/records/${serviceUserId}/batches`,
      query: source,
      body: ndjson,
      contentType: 'application/fhir+ndjson',
      response: batchResult,
      idempotent: true,
      timeoutMs: 60_000,
      ...context,
    });
  }

  /** References whose targets have not come yet; the collector fetches what it may. */
  unresolvedReferences(
    serviceUserId: number,
    source: BatchSource,
    after: string | undefined,
    context: Context = {},
  ): Promise<UnresolvedReferences> {
    return this.http.call({
      method: 'GET',
      path: `/internal/v1/records/${serviceUserId}/unresolved-references`,
      query: { ...source, after },
      response: unresolvedReferences,
      idempotent: true,
      ...context,
    });
  }

  /** Call at the end of a collection, once everything that could be fetched is stored. */
  resolveReferences(serviceUserId: number, source: BatchSource, context: Context = {}): Promise<ReferenceResolution> {
    return this.http.call({
      method: 'POST',
      path: `/internal/v1/records/${serviceUserId}/resolve-references`,
      query: source,
      response: referenceResolution,
      idempotent: true,
      timeoutMs: 120_000,
      ...context,
    });
  }

  /** Destroys the key of the user's record, and then its rows. Older backups of the keys still hold it until they expire. */
  async destroy(serviceUserId: number, context: Context = {}): Promise<void> {
    await this.http.call({
      method: 'DELETE',
      path: `/internal/v1/records/${serviceUserId}`,
      response: z.unknown(),
      idempotent: true,
      ...context,
    });
  }
}
