import type { ExportFile, TypeCode } from '@tributary/record-storage';
import type { ConversionFailures, IssueFile } from '../files/manifest-file';
import { r4TypeCodeOf } from './r4-type-codes';

/** Reasons that are listed for one type code: they are part of the file token, which must fit into a URL. */
const maxReasons = 10;
const furtherReasons = 'There are further reasons.';

interface Failures {
  readonly file: ExportFile;
  resources: number;
  readonly reasons: Map<string, number>;
}

/**
 * Counts, by type code, the resources that an export in R4 leaves out, and why. Its size does not depend on their
 * number.
 */
export class Unconverted {
  readonly #byTypeCode = new Map<TypeCode, Failures>();

  /** Counts resources of a file whose type has no conversion. */
  addFile(file: ExportFile, resources: number): void {
    if (resources > 0) this.#failuresOf(file).resources += resources;
  }

  /** Counts one resource of a file that could not be converted. */
  addResource(file: ExportFile, reason: string): void {
    const failures = this.#failuresOf(file);
    failures.resources++;
    const listed = failures.reasons.has(reason) || failures.reasons.size < maxReasons ? reason : furtherReasons;
    failures.reasons.set(listed, (failures.reasons.get(listed) ?? 0) + 1);
  }

  /** One file for each type code. */
  files(): IssueFile[] {
    return [...this.#byTypeCode.values()].map(({ file: { scope, at, typeCode }, resources, reasons }) => {
      const listed: ConversionFailures[] = [...reasons].map(([reason, count]) => ({ reason, resources: count }));
      return {
        of: 'issue',
        scope,
        at,
        typeCode: r4TypeCodeOf(typeCode),
        convertedFrom: typeCode,
        resources,
        ...(listed.length > 0 ? { reasons: listed } : {}),
      };
    });
  }

  #failuresOf(file: ExportFile): Failures {
    const known = this.#byTypeCode.get(file.typeCode);
    if (known) return known;
    const failures: Failures = { file, resources: 0, reasons: new Map() };
    this.#byTypeCode.set(file.typeCode, failures);
    return failures;
  }
}
