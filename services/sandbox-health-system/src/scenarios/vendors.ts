import { createHash } from 'node:crypto';
import { atMost, changeNext } from './hooks';
import { provenanceByTarget } from './provenance';
import { requiresExactAccept } from './refusing';
import { requirePractice, requiresCategoryOrCode, requiresIntent } from './required-parameters';
import { scenariosOf, type Behaviour, type Capabilities } from './scenario';

/*
 * The behaviours of one vendor together, under the names of its CapabilityStatement, by which clients recognize it.
 */

function namedAs(name: string, publisher: string) {
  return (document: Capabilities): Capabilities => ({ ...document, software: { name }, publisher });
}

function practiceOf({ grantId }: { grantId: string }): string {
  return `a-1.Practice-${createHash('sha256').update(grantId).digest('hex').slice(0, 8)}`;
}

const requiresPractice = requirePractice(({ grant }) => practiceOf(grant));

const typedNextLinks = changeNext((url, { base, type }) => {
  const cursor = new URL(url).searchParams.get('_getpages') ?? '';
  return `${base}/${type}?-pageContext=${cursor}&-pageDirection=NEXT`;
});

/** https://fhir.epic.com/Specifications */
const epic: Behaviour = {
  description: 'Is named Epic, and answers 400 to searches of Observation and CarePlan without category.',
  capabilities: namedAs('Epic', 'Epic'),
  before: requiresCategoryOrCode,
};

/** https://docs.athenahealth.com/api/ */
const athena: Behaviour = {
  description:
    'Is named athenahealth, answers 400 to searches without ah-practice, and to those of MedicationRequest without intent; each authorization is for another practice.',
  tokens: { accessTokenClaims: (_patientId, grant) => ({ ah_practice: practiceOf(grant) }) },
  capabilities: namedAs('athenahealth', 'athenahealth, Inc.'),
  before: (exchange) => requiresPractice(exchange) ?? requiresIntent(exchange),
};

/** https://docs.oracle.com/en/industries/health/millennium-platform-apis/ */
const oracle: Behaviour = {
  description:
    'Is named Cerner, has at most 100 entries on a page, gives next links below the type (Observation?-pageContext=…&-pageDirection=NEXT), searches Provenance by target only, answers 406 to an inexact Accept, and issues tokens for 570 s.',
  tokens: { accessTokenSeconds: 570 },
  pageSize: atMost(100),
  page: (page, exchange, record) => typedNextLinks(provenanceByTarget.page(page, exchange, record), exchange),
  capabilities: (document) => namedAs('Cerner Millennium', 'Cerner')(provenanceByTarget.capabilities(document)),
  before: (exchange) => requiresExactAccept(exchange) ?? provenanceByTarget.before(exchange),
};

export const vendors = scenariosOf('Vendors', {
  'vendor-epic': epic,
  'vendor-athena': athena,
  'vendor-oracle': oracle,
});
