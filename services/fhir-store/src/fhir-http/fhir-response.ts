import type { AuditEntity } from '@tributary/audit-log';
import type { NativeContent } from '@tributary/service-kit';

/** The response of an interaction. The endpoint writes it to HTTP, a batch puts it into an entry. */
export interface FhirResponse {
  readonly status: number;
  /** A resource as JSON; undefined: no body. */
  readonly body?: Buffer | string | undefined;
  /** The body is an OperationOutcome about the interaction, which a Bundle has in `response.outcome`. */
  readonly isOutcome?: true;
  /** The content of a Binary, which is sent in its own media type in place of a body. */
  readonly native?: NativeBody;
  /** The version that the ETag names. */
  readonly version?: number | undefined;
  /** Epoch milliseconds. */
  readonly lastUpdated?: number | undefined;
  readonly location?: string | undefined;
  readonly access?: Access;
}

export interface NativeBody extends NativeContent {
  /** The content in base64, when it may stand for content of the object storage (`UserRecord.contentOf`). */
  readonly reference?: string;
}

/** What the audit log records of a response, beside the resource of its address. */
export interface Access {
  /** The numbers of resources in the response by their types. */
  readonly counts?: ReadonlyMap<string, number>;
  /** The names of the parameters that were applied, with their modifiers. */
  readonly parameters?: readonly string[];
  /** In place of the address: what the entries of a Bundle are about. */
  readonly entities?: readonly AuditEntity[];
}
