import {
  fhirVersionOf,
  perRelease,
  releaseCodeSystem,
  releaseValueSet,
  type CodeSystem,
  type Release,
  type ValueSetTable,
} from '@tributary/fhir-definitions';
import type { CodeSet } from './code-set';
import { Expansion } from './expansion';

/** The value sets and code systems of a record. */
export interface RecordDefinitions {
  /** By the reference or canonical URL in the search. Undefined: the record has it, but its codes are unknown. */
  readonly valueSets: ReadonlyMap<string, ValueSetTable | undefined>;
  readonly codeSystems: ReadonlyMap<string, CodeSystem>;
}

const noDefinitions: RecordDefinitions = { valueSets: new Map(), codeSystems: new Map() };

/** Value sets and code systems by URL: those of a record, or else those that the release publishes. */
export class Terminology {
  constructor(
    readonly release: Release,
    private readonly recordDefinitions: RecordDefinitions = noDefinitions,
  ) {}

  /** The codes of a value set. Undefined when it, or a definition that it refers to, is unknown. */
  valueSet(url: string): CodeSet | undefined {
    return new Expansion(this).of(url);
  }

  codeSystem(url: string): CodeSystem | undefined {
    return this.recordDefinitions.codeSystems.get(url) ?? releaseCodeSystem(this.release, url);
  }

  /** The definition of a value set. */
  definition(url: string): ValueSetTable | undefined {
    return this.recordDefinitions.valueSets.has(url)
      ? this.recordDefinitions.valueSets.get(url)
      : releaseValueSet(this.release, withoutOwnVersion(this.release, url));
  }
}

/** The value sets and code systems that a release publishes. */
export const releaseTerminology = perRelease((release) => new Terminology(release));

/** Removes the version of the release from the URL of a value set. */
function withoutOwnVersion(release: Release, url: string): string {
  const version = `|${fhirVersionOf[release]}`;
  return url.endsWith(version) ? url.slice(0, -version.length) : url;
}
