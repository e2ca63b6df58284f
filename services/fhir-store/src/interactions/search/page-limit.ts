/** How much content a page holds: no more resources are added beyond it, but one is always there. */
export const pageBytes = 16_000_000;

/** Counts what goes onto a page. */
export class PageLimit {
  #bytes = 0;
  #resources = 0;

  constructor(
    private readonly maxResources: number,
    private readonly maxBytes = pageBytes,
  ) {}

  /** Takes a resource of this size, if there is room for it. */
  takes(bytes: number): boolean {
    if (this.#resources > 0 && (this.#resources === this.maxResources || this.#bytes + bytes > this.maxBytes))
      return false;
    this.#resources++;
    this.#bytes += bytes;
    return true;
  }
}
