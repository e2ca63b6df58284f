import { type ExportManifest, type ExportedFile, exportPath } from '@tributary/contracts';
import type { Dependencies } from '../dependencies';
import { type ManifestFile, convertedFromRelease, fileMetadata } from '../files/manifest-file';
import type { ExportPlan } from '../planning/plan-export';

/**
 * The manifest of an export.
 * @param request the complete URL of the request
 * @param at the snapshot, exclusive: the last moment in it is a millisecond before, so `_since` that moment loses
 * nothing and repeats nothing
 */
export function manifestOf(
  plan: ExportPlan,
  request: string,
  at: number,
  { analyticsUrl, fileTokens }: Dependencies,
): ExportManifest {
  const entry = (file: ManifestFile): ExportedFile => {
    const { type, count, release } = fileMetadata(file);
    const convertedFrom = convertedFromRelease(file);
    return {
      type,
      url: `${analyticsUrl}${exportPath}/${type}/${fileTokens.seal(file)}.ndjson`,
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
