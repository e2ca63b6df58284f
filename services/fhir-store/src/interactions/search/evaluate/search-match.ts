import type { Resource } from '@tributary/fhir-json';
import type { TypeCode } from '@tributary/record-storage';
import { parseResource } from '../../../resources/resource-content';

/** A stored resource that matches a search. Its JSON is parsed when `resource` is first read. */
export class SearchMatch {
  #resource: Resource | undefined;

  constructor(
    readonly typeCode: TypeCode,
    readonly id: string,
    readonly json: Buffer,
  ) {}

  get resource(): Resource {
    return (this.#resource ??= parseResource(this.json));
  }
}
