import * as inward from './addresses/private-addresses';
import * as attachmentAddresses from './attachments/attachment-addresses';
import * as attachmentContents from './attachments/attachment-contents';
import * as attachmentTypes from './attachments/attachment-types';
import * as refusedMethods from './clients/refused-methods';
import * as lyingMethods from './clients/misannounced-methods';
import { rawBasic } from './clients/raw-basic';
import { endpointParameters } from './discovery/endpoint-parameters';
import { issuerSlash } from './discovery/issuer-slash';
import { metadataOnly } from './discovery/metadata-only';
import * as metadataRefused from './discovery/metadata-refused';
import { oauthElsewhere } from './discovery/oauth-elsewhere';
import { trailingSlash } from './discovery/trailing-slash';
import { wellKnownOnly } from './discovery/well-known-only';
import * as oddBytes from './odd-data/odd-bytes';
import * as oddResources from './odd-data/odd-resources';
import { outcomeInPage } from './odd-data/outcome-in-page';
import * as outcomesWithSuccess from './odd-data/outcomes-with-success';
import * as nextEmpty from './paging/next-empty';
import { nextExpired } from './paging/next-expired';
import { nextForeign } from './paging/next-foreign';
import * as nextLoops from './paging/next-loops';
import * as nextSpellings from './paging/next-spellings';
import * as pageSizes from './paging/page-sizes';
import { startIndex } from './paging/start-index';
import * as totals from './paging/totals';
import { motherAndChild } from './references/mother-and-child';
import * as referenceSpellings from './references/reference-spellings';
import * as refusedReferences from './references/references-forbidden';
import { secondSystem } from './references/second-system';
import { acceptStrict, binaryAcceptStrict } from './refusing/accept-strict';
import * as brokenTypes from './refusing/broken-types';
import * as failingPages from './refusing/failing-pages';
import { htmlErrors } from './refusing/html-errors';
import * as refusedConnects from './refusing/refused-connects';
import * as refusedRecords from './refusing/refused-records';
import * as refusedTypes from './refusing/refused-types';
import type { Scenario } from './scenario';
import { scopesGrantedGranular } from './scopes/granular-grant';
import * as announcedScopes from './scopes/announced-scopes';
import * as scopes from './scopes/scopes';
import * as everything from './searching/everything';
import * as lastUpdated from './searching/last-updated';
import * as laterReads from './searching/later-reads';
import { patientById } from './searching/patient-by-id';
import * as pageSizeLimits from './searching/page-size-limits';
import { ahPractice } from './searching/practice-required';
import * as provenance from './searching/provenance';
import * as requiredParameters from './searching/required-parameters';
import * as tooManyRequests from './throttling/too-many-requests';
import { twoAtOnce } from './throttling/two-at-once';
import * as refreshRules from './tokens/refresh-rules';
import * as refreshTroubles from './tokens/refresh-failures';
import * as tokenLives from './tokens/token-lifetimes';
import { patientNegative } from './tokens/patient-negative';
import * as patientSpellings from './tokens/patient-spellings';
import * as tokenSpellings from './tokens/token-spellings';
import * as unauthorized from './tokens/unauthorized';
import * as vendors from './vendors/vendors';

/** Every scenario. Of joined scenarios, the one that is first in this list is applied first. */
export const scenarios: Scenario[] = [
  metadataOnly,
  ...Object.values(metadataRefused),
  wellKnownOnly,
  issuerSlash,
  oauthElsewhere,
  trailingSlash,
  endpointParameters,
  ...Object.values(lyingMethods),
  ...Object.values(refusedMethods),
  rawBasic,
  ...Object.values(scopes),
  scopesGrantedGranular,
  ...Object.values(announcedScopes),
  ...Object.values(refusedConnects),
  ...Object.values(tokenLives),
  ...Object.values(refreshRules),
  ...Object.values(refreshTroubles),
  ...Object.values(patientSpellings),
  patientNegative,
  ...Object.values(tokenSpellings),
  ...Object.values(nextSpellings),
  ...Object.values(nextLoops),
  ...Object.values(nextEmpty),
  nextExpired,
  nextForeign,
  startIndex,
  ...Object.values(totals),
  ...Object.values(pageSizes),
  ...Object.values(pageSizeLimits),
  ...Object.values(requiredParameters),
  ahPractice,
  ...Object.values(provenance),
  ...Object.values(vendors),
  patientById,
  ...Object.values(refusedTypes),
  ...Object.values(refusedRecords),
  ...Object.values(brokenTypes),
  ...Object.values(failingPages),
  ...Object.values(unauthorized),
  ...Object.values(tooManyRequests),
  twoAtOnce,
  outcomeInPage,
  ...Object.values(outcomesWithSuccess),
  ...Object.values(everything),
  ...Object.values(lastUpdated),
  ...Object.values(laterReads),
  ...Object.values(referenceSpellings),
  ...Object.values(refusedReferences),
  secondSystem,
  motherAndChild,
  ...Object.values(attachmentAddresses),
  ...Object.values(attachmentTypes),
  ...Object.values(attachmentContents),
  acceptStrict,
  binaryAcceptStrict,
  htmlErrors,
  ...Object.values(oddResources),
  ...Object.values(inward),
  ...Object.values(oddBytes),
];

/** The scenario names in a path or after a username, separated by `+` (which is decoded to a space in a query). */
export function scenarioNames(text: string): string[] {
  return text.split(/[+\s]/).filter((name) => name !== '');
}

/** The first unknown name; undefined when all are known. */
export function unknownScenario(names: string[]): string | undefined {
  return names.find((name) => !scenarios.some((scenario) => scenario.name === name));
}

/** The scenarios with these names, each once, in the order of the catalogue. */
export function scenariosNamed(names: string[]): Scenario[] {
  return scenarios.filter((scenario) => names.includes(scenario.name));
}
