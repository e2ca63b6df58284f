import { type Resource, isJsonObject, stringifyJson } from '@tributary/fhir-json';
import type { IgnoredParameter, ResultParameters } from '@tributary/fhir-search';
import { relativeReference } from '@tributary/record-storage';
import { type FhirRequest, isConvertedToR4 } from '../../../fhir-http/fhir-request';
import { type OutcomeIssue, outcomeOf } from '../../../fhir-http/fhir-error';
import { type BundleWriter, fullUrl } from '../../../fhir-http/bundle-writer';
import { type ConvertedResource, convertResource } from '../../conversion/resource-in-r4';
import { type ContainedMatch, containedUrl } from './contained-matches';
import type { SearchMatch } from '../evaluate/search-match';
import { type Subset, subsetOf } from './subset';

const modes = { match: '"search":{"mode":"match"}', include: '"search":{"mode":"include"}' };

/**
 * Writes the entries of a searchset: resources as stored, reduced to the requested elements, or converted to R4.
 * Parameters that the search ignored are listed by an OperationOutcome at the start. Resources that cannot be converted
 * are omitted, and an OperationOutcome at the end lists them
 * (https://hl7.org/fhir/R4/valueset-search-entry-mode.html).
 */
export class SearchsetEntries {
  readonly #subset: Subset | undefined;
  readonly #isConverted: boolean;
  readonly #leftOut = new Map<string, OutcomeIssue>();

  constructor(
    private readonly request: FhirRequest,
    private readonly bundle: BundleWriter,
    requested: Pick<ResultParameters, 'summary' | 'elements'>,
  ) {
    this.#subset = subsetOf(request.responseRelease, requested);
    this.#isConverted = isConvertedToR4(request);
  }

  /**
   * Reports the parameters that the search ignored, each once. It must be called before any other entry is added.
   * @param chains those of `chainsOverVersions`
   */
  addIgnored(ignored: readonly IgnoredParameter[], chains: readonly string[] = []): void {
    const issues = new Map(
      ignored.map(({ parameter, reason }): [string, OutcomeIssue] => {
        const location = `http.${parameter}`;
        const diagnostics = `${parameter} is ignored: ${reason}`;
        return [
          diagnostics,
          { severity: 'warning', code: 'not-supported', diagnostics, expression: location, location },
        ];
      }),
    );
    for (const parameter of chains) {
      const location = `http.${parameter}`;
      const diagnostics = `${parameter} looked at the current version, also where a reference names another`;
      issues.set(diagnostics, {
        severity: 'information',
        code: 'informational',
        diagnostics,
        expression: location,
        location,
      });
    }
    this.#addOutcome([...issues.values()]);
  }

  add(found: SearchMatch, mode: 'match' | 'include'): void {
    if (this.#isConverted || this.#subset) this.request.parsing?.take(found.json.length);
    if (this.#isConverted) this.#addConverted(found, modes[mode]);
    else
      this.bundle.resource(
        fullUrl(this.request.base, found),
        this.#subset ? this.#subset(found.resource) : found.json,
        modes[mode],
      );
  }

  addContained(match: ContainedMatch): void {
    if (this.#isConverted) this.#addContainedInR4(match);
    else this.bundle.resource(containedUrl(this.request.base, match), match.text, modes.match);
  }

  /** The whole Bundle. */
  end(): Buffer {
    this.#addOutcome([...this.#leftOut.values()]);
    return this.bundle.end();
  }

  #addOutcome(issues: readonly OutcomeIssue[]): void {
    if (issues.length === 0) return;
    const outcome = stringifyJson(outcomeOf(this.request.responseRelease, issues));
    this.bundle.entry(`"resource":${outcome},"search":{"mode":"outcome"}`);
  }

  #addConverted(found: SearchMatch, members: string): void {
    const resource = this.#convertResource(found, convertResource(this.request, found.resource));
    if (resource)
      this.bundle.resource(
        `${this.request.base}/${resource.resourceType}/${found.id}`,
        this.#subset ? this.#subset(resource) : stringifyJson(resource),
        members,
      );
  }

  /** A contained resource is converted together with its container: references between them depend on it. */
  #addContainedInR4(match: ContainedMatch): void {
    const { container, fragment } = match;
    const resource = this.#convertResource(container, convertResource(this.request, container.resource));
    const contained = Array.isArray(resource?.['contained']) ? resource['contained'] : [];
    const shown = contained.find((each) => isJsonObject(each) && each['id'] === fragment);
    if (resource && shown)
      this.bundle.resource(
        `${this.request.base}/${resource.resourceType}/${container.id}#${encodeURIComponent(fragment)}`,
        stringifyJson(shown),
        modes.match,
      );
  }

  #convertResource({ typeCode, id }: SearchMatch, { resource, issue }: ConvertedResource): Resource | undefined {
    const name = relativeReference({ typeCode, id });
    if (issue)
      this.#leftOut.set(name, {
        severity: 'warning',
        code: issue.code,
        diagnostics: `${name} is left out: ${issue.diagnostics}`,
      });
    return resource;
  }
}
