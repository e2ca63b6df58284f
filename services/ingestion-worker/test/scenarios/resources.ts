import { type Expectation } from './expectation';

/** Scenarios of references, attachments and odd resources. */
export const resourcesExpectations: Expectation[] = [
  // references
  { scenario: 'references-absolute', rewritten: true },
  { scenario: 'references-versioned', rewritten: true },
  { scenario: 'references-other-origin', rewritten: true, absent: ['Practitioner'], unreachable: ['Practitioner'] },
  {
    scenario: 'references-not-found',
    rewritten: true,
    absent: ['Practitioner'],
    warnings: { Practitioner: /refused with 404/ },
    outcomes: { Practitioner: 'partial' },
  },
  { scenario: 'references-urn', rewritten: true, absent: ['Practitioner'], unreachable: ['Practitioner'] },
  {
    scenario: 'references-forbidden',
    absent: ['Practitioner', 'Organization'],
    partial: ['Location'],
    warnings: { Practitioner: /refused with 403/, Organization: /refused with 403/ },
  },
  {
    scenario: 'references-refused-at-first',
    absent: ['Practitioner', 'Binary'],
    partial: ['Organization', 'Location'],
    outcomes: { Practitioner: 'partial', Binary: 'partial', Observation: 'complete' },
  },
  ...(['r4', 'stu3', 'dstu2'] as const).map((release) => ({
    scenario: 'mother-and-child',
    release,
    hasOwnResources: true as const,
    complete: true,
    keys: ['Encounter/birth', 'Encounter/delivery', ...(release === 'dstu2' ? [] : ['Coverage/family'])],
    never: /mothers-/,
    outcomes: { Encounter: 'complete' as const, ...(release === 'dstu2' ? {} : { Coverage: 'complete' as const }) },
  })),
  { scenario: 'second-system', rewritten: true, some: [/"language":"en-GB"/] },

  // Binary, attachments
  { scenario: 'attachments-absolute', rewritten: true },
  { scenario: 'attachments-versioned', rewritten: true },
  { scenario: 'attachments-path-absolute', rewritten: true },
  { scenario: 'attachments-leading-slash', rewritten: true },
  { scenario: 'attachments-relative', rewritten: true },
  { scenario: 'attachments-relative', release: 'dstu2', rewritten: true },
  { scenario: 'attachments-parent-relative', rewritten: true },
  { scenario: 'attachments-presigned', rewritten: true },
  {
    scenario: 'attachments-expired',
    rewritten: true,
    absent: ['Binary'],
    warnings: { Binary: /refused with 403/ },
    outcomes: { Binary: 'partial' },
  },
  ...['attachments-other-origin', 'attachments-private-host', 'attachments-redirected'].map((scenario) => ({
    scenario,
    rewritten: true,
    absent: ['Binary'],
    warnings: { Binary: /at another host/ },
    outcomes: { Binary: 'partial' as const, DocumentReference: 'complete' as const },
  })),
  { scenario: 'attachments-untyped', rewritten: true, some: [/"resourceType":"Binary".*"contentType":"text\/plain/] },
  { scenario: 'attachments-mistyped', rewritten: true, some: [/"resourceType":"Binary".*"contentType":"text\/plain/] },
  { scenario: 'attachments-regenerated', rewritten: true },
  { scenario: 'attachments-huge', rewritten: true, outcomes: { Binary: 'complete' } },
  {
    scenario: 'attachments-gone',
    // A few attachments that are gone are no gap.
    username: 'person-123',
    absent: ['Binary'],
    warnings: { Binary: /refused with 404/ },
    outcomes: { Binary: 'partial' },
  },

  // Accept header
  { scenario: 'accept-strict' },
  { scenario: 'accept-strict', release: 'stu3' },
  { scenario: 'accept-strict', release: 'dstu2' },
  { scenario: 'binary-accept-strict', complete: true },
  { scenario: 'html-errors' },

  // malformed data
  { scenario: 'broken-resource', failed: { Observation: 1 }, warnings: { Observation: /no resource/ } },
  { scenario: 'resource-without-id', failed: { Observation: 1 }, warnings: { Observation: /no id/ } },
  {
    scenario: 'long-id',
    failed: { Observation: 1 },
    warnings: { Observation: /id of the resource is too long/ },
    outcomes: { Observation: 'partial' },
  },
  {
    scenario: 'long-decimals',
    rewritten: true,
    some: [
      /"value":0\.100000000000000000000000000001[,}]/,
      /"value":37\.500[,}]/,
      /"value":1\.20e-7[,}]/,
      /"value":12345678901234567890\.10[,}]/,
    ],
  },
  { scenario: 'entered-in-error', rewritten: true, some: [/"entered-in-error"/] },
  { scenario: 'repeated-entries' },
  { scenario: 'unknown-elements', rewritten: true, some: [/"vendorStuff":\{"a":\[1,2,\{"b":null\}\]\}/] },
  { scenario: 'byte-order-mark' },
  { scenario: 'bad-utf8', rewritten: true, some: [/\uFFFD/] },
];
