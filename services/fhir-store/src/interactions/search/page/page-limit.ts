/** Counts the resources and bytes of a page, which has at least one resource. */
export class PageLimit {
  #bytes = 0;
  #resources = 0;

  constructor(
    private readonly maxResources: number,
    private readonly maxBytes: number,
  ) {}

  /** Adds a resource of this size, unless the page is full. */
  takes(bytes: number): boolean {
    if (this.#resources > 0 && (this.#resources === this.maxResources || this.#bytes + bytes > this.maxBytes))
      return false;
    this.#resources++;
    this.#bytes += bytes;
    return true;
  }
}
