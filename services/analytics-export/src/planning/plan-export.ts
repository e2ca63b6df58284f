import { type Resource, parseJson } from '@tributary/fhir-json';
import {
  type ExportFile,
  type ExportScope,
  type ExportSelection,
  ExportTooLargeError,
  type FileLimits,
  type TypeCode,
  type PlanState,
  type ExportedRecords,
  fileLines,
  planSteps,
  plannedFiles,
  releaseOfCode,
} from '@tributary/record-storage';
import { convertingFilter, patientsFilter } from '../conversion/convert-lines';
import { ConversionCheck } from '../conversion/conversion-check';
import { canBeInR4, r4TypeCodeOf, typeCodesBecoming, typeCodesOf } from '../conversion/r4-type-codes';
import { Unconverted } from '../conversion/unconverted';
import type { DeletionFile, IssueFile, ManifestFile, ResourceFile } from '../files/manifest-file';
import { type LineFilter, type UserLineFilter, canFilter, lineFilter } from '../filters/line-filter';
import { type LineSelection, leavesOutLines } from '../filters/line-selection';
import { NewestRelease } from '../filters/newest-release';
import type { ExportRequest } from '../requests/export-request';
import { requirePatients } from './known-patients';
import { planDeletions } from './plan-deletions';

/** The files of an export. */
export interface ExportPlan {
  output: ResourceFile[];
  deleted: DeletionFile[];
  error: IssueFile[];
}

export interface PlanOptions {
  /** Is called with the progress, from 0 to 1. It may throw to stop the planning. */
  progress?(done: number): Promise<void>;
  /** Is aborted when the client has disconnected. */
  signal?: AbortSignal;
  /**
   * Limits of the blocks that are listed and of the bytes of resources that are read for the plan. Undefined: no limit.
   */
  maxBlocks?: number;
  maxBytes?: number;
  /** Saves the state of the planning, so that another process can continue it. */
  checkpoint?: { readonly last: PlanState | undefined; save(state: PlanState): Promise<void> };
  /** The job of the files. It stores the selection of lines, instead of each file token. */
  job?: string;
}

/** Plans synchronous and asynchronous exports. */
export class ExportPlanner {
  readonly #conversion: ConversionCheck;

  constructor(
    private readonly records: ExportedRecords,
    private readonly limits: FileLimits,
  ) {
    this.#conversion = new ConversionCheck((file, blockFilter) => fileLines(records, file, blockFilter));
  }

  /**
   * @param at the snapshot, exclusive
   * @throws HttpError 400 for patients that are not in the scope; ExportTooLargeError, the reason of the signal
   */
  async plan(
    scope: ExportScope,
    { types, since, inR4, lines = {} }: ExportRequest,
    at: number,
    options: PlanOptions = {},
  ): Promise<ExportPlan> {
    const selection: ExportSelection = {
      scope,
      at,
      ...(since === undefined ? {} : { since }),
      ...(types ? { typeCodes: types.flatMap(inR4 ? typeCodesBecoming : typeCodesOf) } : {}),
    };
    if (lines.patients) await requirePatients(this.records, scope, lines.patients);
    const files = await this.#files(selection, options);
    if (bytesToRead(files, inR4 === true, lines) > (options.maxBytes ?? Infinity))
      throw new ExportTooLargeError(options.maxBlocks ?? 0);
    const { output, error } = await this.#listed(files, inR4 === true, lines, at, options);
    const deleted =
      since === undefined
        ? []
        : await planDeletions(this.records, { ...selection, since }, inR4 ?? false, options.signal);
    const { job } = options;
    if (job === undefined) return { output, deleted, error };
    const ofJob = <T extends ManifestFile>(file: T): T => ({ ...file, job });
    return { output: output.map(ofJob), deleted: deleted.map(ofJob), error: error.map(ofJob) };
  }

  /** The stored files, planned in steps. */
  async #files(
    selection: ExportSelection,
    { maxBlocks = Infinity, signal, checkpoint }: PlanOptions,
  ): Promise<ExportFile[]> {
    let state = checkpoint?.last;
    for await (const step of planSteps(
      this.records,
      selection,
      { ...this.limits, maxBlocks, ...(signal ? { signal } : {}) },
      state,
    )) {
      state = step;
      await checkpoint?.save(step);
    }
    return state ? plannedFiles(selection, state) : [];
  }

  /** The files of resources, and those of what is left out. */
  async #listed(
    files: readonly ExportFile[],
    inR4: boolean,
    lines: LineSelection,
    at: number,
    options: PlanOptions,
  ): Promise<Omit<ExportPlan, 'deleted'>> {
    const typeCodes = [...new Set(files.map(({ typeCode }) => typeCode))];
    const usable = new Set(typeCodes.filter((typeCode) => inR4 || canFilter(typeCode, lines, at)));
    const chosen = files.filter(({ typeCode }) => usable.has(typeCode));
    const output: ResourceFile[] = [];
    const unconverted = new Unconverted();
    for (const [i, file] of chosen.entries()) {
      options.signal?.throwIfAborted();
      const listed = inR4 ? this.#inR4(file, lines, options, unconverted) : this.#selected(file, lines, options);
      output.push(...(await listed));
      await options.progress?.((i + 1) / chosen.length);
    }
    return {
      output,
      error: [...leftOut(files.filter(({ typeCode }) => !usable.has(typeCode))), ...unconverted.files()],
    };
  }

  async #inR4(
    file: ExportFile,
    lines: LineSelection,
    options: PlanOptions,
    unconverted: Unconverted,
  ): Promise<ResourceFile[]> {
    if (releaseOfCode(file.typeCode) === 'r4') return this.#selected(file, lines, options);
    if (canBeInR4(file.typeCode)) return this.#converted(file, lines, options, unconverted);
    unconverted.addFile(file, await this.#countOfPatients(file, lines));
    return [];
  }

  /** The file with the count of the lines that pass the filter; no file if none passes. */
  async #selected(file: ExportFile, lines: LineSelection, options: PlanOptions): Promise<ResourceFile[]> {
    const filter = lineFilter(file.typeCode, lines, file.at);
    const count = filter && leavesOutLines(lines) ? await countLines(this.records, file, filter) : file.count;
    return count === 0
      ? []
      : [{ of: 'resources', file: { ...file, count }, ...(filter ? selectionInToken(lines, options) : {}) }];
  }

  async #countOfPatients(file: ExportFile, lines: LineSelection): Promise<number> {
    const ofPatients = patientsFilter(file.typeCode, lines, file.at);
    const newest = this.#newestRelease(file, lines);
    if (!newest) return ofPatients ? countLines(this.records, file, ofPatients) : file.count;
    const filter: UserLineFilter = (line, userId) =>
      newest.has(parseJson(line.toString('utf8')) as Resource, userId) ? (ofPatients ?? asIs)(line) : undefined;
    return countLines(this.records, file, filter, newest.prepare);
  }

  #newestRelease({ typeCode, at }: ExportFile, { releasePerSource }: LineSelection): NewestRelease | undefined {
    return releasePerSource && new NewestRelease(this.records, releaseOfCode(typeCode), at);
  }

  /** Like `#selected`, for a file whose lines are converted to R4. The lines are converted to count them. */
  async #converted(
    file: ExportFile,
    lines: LineSelection,
    options: PlanOptions,
    unconverted: Unconverted,
  ): Promise<ResourceFile[]> {
    const onFailure = (reason: string): void => unconverted.addResource(file, reason);
    const newest = this.#newestRelease(file, lines);
    const count = leavesOutLines(lines)
      ? await countLines(
          this.records,
          file,
          convertingFilter(file.typeCode, lines, file.at, newest, onFailure),
          newest?.prepare,
        )
      : file.count - (await this.#conversion.countFailures(file, onFailure));
    const typeCode = r4TypeCodeOf(file.typeCode);
    return count === 0
      ? []
      : [
          {
            of: 'resources',
            file: { ...file, typeCode, count },
            convertedFrom: file.typeCode,
            ...(newest || lineFilter(typeCode, lines, file.at) ? selectionInToken(lines, options) : {}),
          },
        ];
  }
}

const asIs: LineFilter = (line) => line;

/**
 * Counts the lines of a stored file that pass a filter, by reading all of them.
 * @param prepare is awaited before the lines of a user
 */
async function countLines(
  records: ExportedRecords,
  file: ExportFile,
  filter: UserLineFilter,
  prepare?: (userId: number) => Promise<void>,
): Promise<number> {
  let count = 0;
  for await (const { position, lines } of fileLines(records, file)) {
    await prepare?.(position.userId);
    for (const line of lines) if (filter(line, position.userId)) count++;
  }
  return count;
}

/** Bytes of the files whose lines must be read to count them. */
function bytesToRead(files: readonly ExportFile[], inR4: boolean, lines: LineSelection): number {
  const isRead = ({ typeCode }: ExportFile): boolean =>
    leavesOutLines(lines) || (inR4 && releaseOfCode(typeCode) !== 'r4');
  return files.filter(isRead).reduce((sum, { bytes }) => sum + bytes, 0);
}

function selectionInToken(lines: LineSelection, { job }: PlanOptions): Pick<ResourceFile, 'selection'> {
  return job === undefined ? { selection: lines } : {};
}

function leftOut(files: readonly ExportFile[]): IssueFile[] {
  const resources = new Map<TypeCode, IssueFile>();
  for (const { scope, at, typeCode, count } of files)
    resources.set(typeCode, {
      of: 'issue',
      scope,
      at,
      typeCode,
      resources: count + (resources.get(typeCode)?.resources ?? 0),
    });
  return [...resources.values()];
}
