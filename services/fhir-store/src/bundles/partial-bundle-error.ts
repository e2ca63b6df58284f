import { PartialWorkError } from '@tributary/service-kit';
import type { Access } from '../fhir-http/fhir-response';

/** A batch or transaction that failed after some of its entries were written. */
export class PartialBundleError extends PartialWorkError {
  /** @param access what the entries are about, for the audit log */
  constructor(
    cause: unknown,
    readonly access: Access,
  ) {
    super(cause);
    this.name = 'PartialBundleError';
  }
}
