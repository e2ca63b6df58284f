import { convertToR4 } from '@tributary/fhir-conversion';
import { type Resource, parseJson } from '@tributary/fhir-json';
import type { BlockPosition, ExportFile, FileBlock } from '@tributary/record-storage';
import { sourceRelease } from '../files/manifest-file';

/** About 10 MB of keys, for ten million resources. */
const maxRemembered = 100_000;

/**
 * Counts the resources that cannot be converted to R4, by converting them. Nearly all can be, and a stored block never
 * changes: a block whose resources can all be converted is cached and not read again, so that only the first export
 * after a change takes long.
 */
export class ConversionCheck {
  readonly #convertible = new Set<string>();

  /**
   * @param fileLines of record-storage
   * @param most the maximum number of blocks whose result is cached
   */
  constructor(
    private readonly fileLines: (
      file: ExportFile,
      blockFilter: (block: BlockPosition) => boolean,
    ) => AsyncIterable<FileBlock>,
    private readonly most = maxRemembered,
  ) {}

  /**
   * How many resources of a file, of dstu2 or stu3, cannot be converted.
   * @param onFailure called with the reason of each failure
   */
  async countFailures(file: ExportFile, onFailure: (reason: string) => void): Promise<number> {
    const release = sourceRelease(file.typeCode);
    let failures = 0;
    for await (const { position, isComplete, lines } of this.fileLines(
      file,
      (block) => !this.#convertible.has(nameOf(file, block)),
    )) {
      const before = failures;
      for (const line of lines) {
        const { reason } = convertToR4(release, parseJson(line.toString('utf8')) as Resource);
        if (reason === undefined) continue;
        failures++;
        onFailure(reason);
      }
      if (isComplete && failures === before) this.#remember(nameOf(file, position));
    }
    return failures;
  }

  #remember(name: string): void {
    const [oldest] = this.#convertible;
    if (this.#convertible.size >= this.most && oldest !== undefined) this.#convertible.delete(oldest);
    this.#convertible.add(name);
  }
}

function nameOf({ typeCode }: ExportFile, { userId, blockId }: BlockPosition): string {
  return `${typeCode}/${userId}/${blockId}`;
}
