import { type ExportManifest, type ExportedFile, exportPath } from '@tributary/contracts';
import { sourceReleaseOf } from '../conversion/converted-files';
import { type FileDescription, factsOf } from '../files/file-description';
import type { FileTokens } from '../files/file-tokens';
import type { ExportPlan } from '../planning/plan-export';

export interface ManifestOptions {
  /** {analytics_url} */
  analyticsUrl: string;
  tokens: FileTokens;
}

/**
 * The manifest of an export.
 * @param request the whole address that was asked
 * @param at the snapshot, exclusive: the last moment in it is a millisecond before, so `_since` that moment loses nothing and repeats nothing
 */
export function manifestOf(
  plan: ExportPlan,
  request: string,
  at: number,
  { analyticsUrl, tokens }: ManifestOptions,
): ExportManifest {
  const entry = (description: FileDescription): ExportedFile => {
    const { type, count, release } = factsOf(description);
    const convertedFrom = sourceReleaseOf(description);
    return {
      type,
      url: `${analyticsUrl}${exportPath}/${type}/${tokens.seal(description)}.ndjson`,
      count,
      extension: { fhirVersion: release, ...(convertedFrom ? { convertedFrom } : {}) },
    };
  };
  return {
    transactionTime: new Date(at - 1).toISOString(),
    request,
    requiresAccessToken: true,
    output: plan.output.map(entry),
    deleted: plan.deleted.map(entry),
    error: plan.error.map(entry),
  };
}
