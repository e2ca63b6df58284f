import { createHash } from 'node:crypto';
import { problemReply } from '../../fhir/operation-outcome';
import type { Capabilities, Scenario } from '../scenario';
import { withNext } from '../paging/next-link';
import { acceptStrict } from '../refusing/accept-strict';
import { provenanceByTarget } from '../searching/provenance';
import { categoryRequiredFatal, intentRequired } from '../searching/required-parameters';

/*
 * The behaviours of one vendor together, under the names of its CapabilityStatement, by which clients recognize it.
 */

const area = 'vendors';

function namedAs(document: Capabilities, name: string, publisher: string): Capabilities {
  return { ...document, software: { name }, publisher };
}

/** https://fhir.epic.com/Specifications */
export const vendorEpic: Scenario = {
  ...categoryRequiredFatal,
  name: 'vendor-epic',
  area,
  does: 'Is named Epic, and answers 400 to searches of Observation and CarePlan without category.',
  capabilities: (document) => namedAs(document, 'Epic', 'Epic'),
};

function practiceOf({ grantId }: { grantId: string }): string {
  return `a-1.Practice-${createHash('sha256').update(grantId).digest('hex').slice(0, 8)}`;
}

/** https://docs.athenahealth.com/api/ */
export const vendorAthena: Scenario = {
  name: 'vendor-athena',
  area,
  does: 'Is named athenahealth, answers 400 to searches without ah-practice, and to those of MedicationRequest without intent; each authorization is for another practice.',
  tokens: { accessTokenClaims: (_patientId, grant) => ({ ah_practice: practiceOf(grant) }) },
  capabilities: (document) => namedAs(document, 'athenahealth', 'athenahealth, Inc.'),
  before: (exchange) => {
    const { interaction, release, query, grant } = exchange;
    const isLacking =
      interaction === 'search' && !query.split('&').includes(`ah-practice=Organization/${practiceOf(grant)}`);
    return isLacking
      ? problemReply(release, 400, 'required', 'a search needs ah-practice')
      : intentRequired.before?.(exchange);
  },
};

/** https://docs.oracle.com/en/industries/health/millennium-platform-apis/ */
export const vendorOracle: Scenario = {
  ...provenanceByTarget,
  name: 'vendor-oracle',
  area,
  does: 'Is named Cerner, has at most 100 entries on a page, gives next links below the type (Observation?-pageContext=…&-pageDirection=NEXT), searches Provenance by target only, answers 406 to an inexact Accept, and issues tokens for 570 s.',
  tokens: { accessTokenSeconds: 570 },
  pageSize: (requested) => Math.min(requested, 100),
  page: (page, exchange, record) =>
    withNext(provenanceByTarget.page?.(page, exchange, record) ?? page, (url) => {
      const cursor = new URL(url).searchParams.get('_getpages') ?? '';
      return `${exchange.base}/${exchange.type}?-pageContext=${cursor}&-pageDirection=NEXT`;
    }),
  capabilities: (document) =>
    namedAs(provenanceByTarget.capabilities?.(document) ?? document, 'Cerner Millennium', 'Cerner'),
  before: (exchange) => acceptStrict.before?.(exchange) ?? provenanceByTarget.before?.(exchange),
};
