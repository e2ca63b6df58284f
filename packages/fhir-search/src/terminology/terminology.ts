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

/** What of value sets and code systems a record itself says. */
export interface RecordDefinitions {
  /** By the reference or canonical url under which they are asked for; undefined: held, but its codes cannot be told. */
  readonly valueSets: ReadonlyMap<string, ValueSetTable | undefined>;
  readonly codeSystems: ReadonlyMap<string, CodeSystem>;
}

const nothingHeld: RecordDefinitions = { valueSets: new Map(), codeSystems: new Map() };

/** Value sets and code systems by their urls: those that a record holds, else those that its release publishes. */
export class Terminology {
  constructor(
    readonly release: Release,
    private readonly held: RecordDefinitions = nothingHeld,
  ) {}

  /** The codes of a value set; undefined when it is not known, or what it is made of is not. */
  valueSet(url: string): CodeSet | undefined {
    return new Expansion(this).of(url);
  }

  codeSystem(url: string): CodeSystem | undefined {
    return this.held.codeSystems.get(url) ?? releaseCodeSystem(this.release, url);
  }

  /** What a value set is made of. */
  definition(url: string): ValueSetTable | undefined {
    return this.held.valueSets.has(url)
      ? this.held.valueSets.get(url)
      : releaseValueSet(this.release, withoutOwnVersion(this.release, url));
  }
}

/** What the release itself publishes. */
export const releaseTerminology = perRelease((release) => new Terminology(release));

/** The value sets of a release have its version. */
function withoutOwnVersion(release: Release, url: string): string {
  const version = `|${fhirVersionOf[release]}`;
  return url.endsWith(version) ? url.slice(0, -version.length) : url;
}
