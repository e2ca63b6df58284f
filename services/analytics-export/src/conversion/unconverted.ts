import type { ExportFile, TypeCode } from '@tributary/record-storage';
import type { LeftOut, UnconvertedFile } from './converted-files';
import { r4KindOf } from './r4-kinds';

/** Reasons that are told of one kind; a file's description must fit into its address. */
const mostReasons = 10;
const furtherReasons = 'There are further reasons.';

/** Notes, of each kind, how many resources an export in R4 leaves out, and why. Its size does not grow with their number. */
export class Unconverted {
  readonly #kinds = new Map<TypeCode, { file: ExportFile; resources: number; reasons: Map<string, number> }>();

  /** Resources of a file of a kind that there is no conversion of. */
  addFile(file: ExportFile, resources: number): void {
    if (resources > 0) this.#of(file).resources += resources;
  }

  /** One resource of the file that could not be converted. */
  addResource(file: ExportFile, reason: string): void {
    const kind = this.#of(file);
    kind.resources++;
    const told = kind.reasons.has(reason) || kind.reasons.size < mostReasons ? reason : furtherReasons;
    kind.reasons.set(told, (kind.reasons.get(told) ?? 0) + 1);
  }

  /** What to tell of them, a file for each kind. */
  files(): UnconvertedFile[] {
    return [...this.#kinds.values()].map(({ file: { scope, at, typeCode }, resources, reasons }) => {
      const told: LeftOut[] = [...reasons].map(([reason, count]) => ({ reason, resources: count }));
      return {
        of: 'issue',
        scope,
        at,
        typeCode: r4KindOf(typeCode),
        source: typeCode,
        resources,
        ...(told.length > 0 ? { reasons: told } : {}),
      };
    });
  }

  #of(file: ExportFile): { resources: number; reasons: Map<string, number> } {
    const known = this.#kinds.get(file.typeCode);
    if (known) return known;
    const made = { file, resources: 0, reasons: new Map<string, number>() };
    this.#kinds.set(file.typeCode, made);
    return made;
  }
}
