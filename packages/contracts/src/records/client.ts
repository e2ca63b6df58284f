import { z } from 'zod';
import type { CallContext, InternalHttp } from '../http/internal-http';
import {
  type AttachmentDescription,
  type UnresolvedReferences,
  type BatchResult,
  type BatchSource,
  type ReferenceResolution,
  type ResourceOutcome,
  type SourceDeletion,
  type SourceDeletions,
  type SourceReferences,
  unresolvedReferences,
  batchResult,
  referenceResolution,
  resourceOutcome,
  sourceDeletions,
  sourceReferences,
  attachmentMediaType,
  toAttachmentHeaders,
} from './internal';

/** Typed calls to the internal API of fhir-store, which alone writes records. */
export class RecordsClient {
  constructor(private readonly http: InternalHttp) {}

  /**
   * Stores a batch of collected resources. The call is idempotent.
   * @param ndjson the resources of the source, one per line, with decimals as the source has written them
   */
  storeBatch(
    serviceUserId: number,
    source: BatchSource,
    ndjson: string | Buffer,
    context: CallContext = {},
  ): Promise<BatchResult> {
    return this.http.call({
      method: 'POST',
      path: `/internal/v1/records/${serviceUserId}/batches`,
      query: source,
      body: ndjson,
      contentType: 'application/fhir+ndjson',
      response: batchResult,
      timeoutMs: 60_000,
      ...context,
    });
  }

  /**
   * Stores an attachment that is too large for a batch, while it arrives. The call is not repeated.
   * @throws what the content throws: then nothing is stored
   */
  storeAttachment(
    serviceUserId: number,
    source: BatchSource,
    attachment: AttachmentDescription,
    content: AsyncIterable<Buffer>,
    context: CallContext = {},
  ): Promise<ResourceOutcome> {
    return this.http.upload(
      {
        method: 'POST',
        path: `/internal/v1/records/${serviceUserId}/attachments`,
        query: source,
        headers: toAttachmentHeaders(attachment),
        contentType: attachmentMediaType,
        response: resourceOutcome,
        timeoutMs: 120_000,
        ...context,
      },
      content,
    );
  }

  /**
   * One page of the references whose targets the record does not contain yet, so that the collector can fetch the
   * targets.
   * @param after the `next` of the previous page
   */
  unresolvedReferences(
    serviceUserId: number,
    source: BatchSource,
    after: string | undefined,
    context: CallContext = {},
  ): Promise<UnresolvedReferences> {
    return this.http.call({
      method: 'GET',
      path: `/internal/v1/records/${serviceUserId}/unresolved-references`,
      query: { ...source, after },
      response: unresolvedReferences,
      ...context,
    });
  }

  /**
   * Ends a collection: references whose targets were not collected are reverted to the form of the source. Call it
   * after the last batch.
   */
  resolveReferences(
    serviceUserId: number,
    source: BatchSource,
    context: CallContext = {},
  ): Promise<ReferenceResolution> {
    return this.http.call({
      method: 'POST',
      path: `/internal/v1/records/${serviceUserId}/resolve-references`,
      query: source,
      response: referenceResolution,
      timeoutMs: 120_000,
      ...context,
    });
  }

  /**
   * One page of the resources of a type that the record holds from the source.
   * @param wanted `patientId`: only resources about this Patient of the source, and none in the compartment of another
   *   one. `without`: ids in the record that are left out.
   * @param after the `next` of the previous page
   */
  sourceReferences(
    serviceUserId: number,
    source: BatchSource,
    wanted: { type: string; patientId?: string; without: Iterable<string> },
    after: string | undefined,
    context: CallContext = {},
  ): Promise<SourceReferences> {
    return this.http.call({
      method: 'POST',
      path: `/internal/v1/records/${serviceUserId}/source-references`,
      query: { ...source, type: wanted.type, patient_id: wanted.patientId, after },
      body: [...wanted.without, ''].join('\n'),
      contentType: 'text/plain',
      response: sourceReferences,
      timeoutMs: 60_000,
      ...context,
    });
  }

  /** Deletes resources that the source has deleted; their versions stay readable. The call is idempotent. */
  deleteFromSource(
    serviceUserId: number,
    source: BatchSource,
    deletions: readonly SourceDeletion[],
    context: CallContext = {},
  ): Promise<SourceDeletions> {
    return this.http.call({
      method: 'POST',
      path: `/internal/v1/records/${serviceUserId}/source-deletions`,
      query: source,
      body: deletions.map((deletion) => `${JSON.stringify(deletion)}\n`).join(''),
      contentType: 'application/x-ndjson',
      response: sourceDeletions,
      timeoutMs: 60_000,
      ...context,
    });
  }

  /**
   * Destroys the key of the record and deletes its rows. Older backups of the key table contain the key until they
   * expire.
   */
  async destroy(serviceUserId: number, context: CallContext = {}): Promise<void> {
    await this.http.call({
      method: 'DELETE',
      path: `/internal/v1/records/${serviceUserId}`,
      response: z.unknown(),
      ...context,
    });
  }
}
