// Made by scripts/derive-summary-elements.mjs from the FHIR specification (CC0-1.0): resource type, then the properties in its summary.
export const table = `
Account	identifier status type name subject period active coverage owner description
ActivityDefinition	url identifier version name title status experimental date publisher description effectivePeriod useContext jurisdiction contact
AdverseEvent	identifier category type subject date reaction location seriousness outcome recorder eventParticipant description suspectEntity subjectMedicalHistory referenceDocument study
AllergyIntolerance	identifier clinicalStatus verificationStatus type category criticality code patient asserter
Appointment	identifier status serviceCategory serviceType specialty appointmentType reason start end
AppointmentResponse	identifier appointment participantType actor participantStatus
AuditEvent	type subtype action recorded outcome outcomeDesc purposeOfEvent
Basic	identifier code subject created author
Binary	contentType securityContext
BodySite	identifier active code description patient
Bundle	identifier type total link entry signature
CapabilityStatement	url version name title status experimental date publisher contact useContext jurisdiction kind instantiates software implementation fhirVersion acceptUnknown format patchFormat implementationGuide profile rest messaging document
CarePlan	identifier definition basedOn replaces partOf status intent category title description subject context period author addresses
CareTeam	identifier status category name subject context period managingOrganization
ChargeItem	identifier status code subject context occurrenceDateTime occurrencePeriod occurrenceTiming quantity bodysite enterer enteredDate account
Claim	status
ClaimResponse	status
ClinicalImpression	identifier status code description subject context effectiveDateTime effectivePeriod date assessor problem
CodeSystem	url identifier version name title status experimental date publisher contact useContext jurisdiction caseSensitive valueSet hierarchyMeaning compositional versionNeeded content count filter property
Communication	identifier definition basedOn partOf status notDone notDoneReason subject context reasonCode reasonReference
CommunicationRequest	identifier basedOn replaces groupIdentifier status priority context occurrenceDateTime occurrencePeriod authoredOn requester reasonCode reasonReference
CompartmentDefinition	url name title status experimental date publisher contact useContext jurisdiction code search resource
Composition	identifier status type class subject encounter date author title confidentiality attester custodian relatesTo event
ConceptMap	url identifier version name title status experimental date publisher contact useContext jurisdiction sourceUri sourceReference targetUri targetReference
Condition	identifier clinicalStatus verificationStatus code bodySite subject context onsetDateTime onsetAge onsetPeriod onsetRange onsetString assertedDate asserter
Consent	identifier status category patient period dateTime consentingParty actor action organization sourceAttachment sourceIdentifier sourceReference policyRule securityLabel purpose dataPeriod data except
Contract	identifier status issued applies subject topic type subType securityLabel
Coverage	identifier status type policyHolder subscriber subscriberId beneficiary period payor dependent sequence order network
DataElement	url identifier version status experimental date publisher name title contact useContext jurisdiction stringency element
DetectedIssue	identifier status category severity patient date author implicated
Device	udi status safety
DeviceComponent	identifier type lastSystemChange source parent operationalStatus parameterGroup measurementPrinciple productionSpecification languageCode
DeviceMetric	identifier type unit source parent operationalStatus color category measurementPeriod calibration
DeviceRequest	identifier definition basedOn priorRequest groupIdentifier status intent priority codeReference codeCodeableConcept subject context occurrenceDateTime occurrencePeriod occurrenceTiming authoredOn requester performerType performer reasonCode reasonReference
DeviceUseStatement	status
DiagnosticReport	identifier status category code subject context effectiveDateTime effectivePeriod issued performer image
DocumentManifest	masterIdentifier identifier status type subject created author recipient source description content related
DocumentReference	masterIdentifier identifier status docStatus type class subject created indexed author authenticator custodian relatesTo description securityLabel content context
EligibilityRequest	status
EligibilityResponse	status
Encounter	identifier status class type subject episodeOfCare participant appointment reason diagnosis
Endpoint	identifier status connectionType name managingOrganization period payloadType payloadMimeType address
EnrollmentRequest	status
EnrollmentResponse	status
EpisodeOfCare	status type diagnosis patient managingOrganization period
ExpansionProfile	url identifier version name status experimental date publisher contact useContext jurisdiction fixedVersion excludedSystem includeDesignations designation includeDefinition activeOnly excludeNested excludeNotForUI excludePostCoordinated displayLanguage limitedExpansion
ExplanationOfBenefit	status
FamilyMemberHistory	identifier definition status notDone notDoneReason patient date name relationship gender ageAge ageRange ageString estimatedAge deceasedBoolean deceasedAge deceasedRange deceasedDate deceasedString reasonCode reasonReference
Flag	identifier status category code subject period encounter author
Goal	status category priority description subject startDate startCodeableConcept statusDate expressedBy
GraphDefinition	url version name status experimental date publisher contact useContext jurisdiction
Group	identifier active type actual code name quantity
GuidanceResponse	requestId identifier module status
HealthcareService	identifier active providedBy category type specialty location name comment photo
ImagingManifest	identifier patient authoringTime author description study
ImagingStudy	uid accession identifier availability modalityList patient context started basedOn referrer interpreter endpoint numberOfSeries numberOfInstances procedureReference procedureCode reason description series
Immunization	status notGiven practitioner note
ImmunizationRecommendation	identifier patient recommendation
ImplementationGuide	url version name status experimental date publisher contact useContext jurisdiction fhirVersion dependency package global page
Library	url identifier version name title status experimental type date publisher description effectivePeriod useContext jurisdiction contact
Linkage	active author item
List	status mode title code subject date source
Location	identifier status operationalStatus name description mode type physicalType managingOrganization
Measure	url identifier version name title status experimental date publisher description effectivePeriod useContext jurisdiction contact disclaimer scoring compositeScoring type riskAdjustment rateAggregation rationale clinicalRecommendationStatement improvementNotation definition guidance set
MeasureReport	identifier status type measure patient date reportingOrganization period
Media	identifier basedOn type subtype view subject context occurrenceDateTime occurrencePeriod operator reasonCode bodySite device height width frames duration
Medication	code status isBrand isOverTheCounter manufacturer
MedicationAdministration	definition partOf status medicationCodeableConcept medicationReference subject effectiveDateTime effectivePeriod performer notGiven
MedicationDispense	status medicationCodeableConcept medicationReference subject whenPrepared
MedicationRequest	definition basedOn groupIdentifier status intent priority medicationCodeableConcept medicationReference subject authoredOn requester
MedicationStatement	identifier basedOn partOf context status category medicationCodeableConcept medicationReference effectiveDateTime effectivePeriod dateAsserted subject taken
MessageDefinition	url identifier version name title status experimental date publisher contact description useContext jurisdiction purpose base parent replaces event category focus
MessageHeader	event destination receiver sender timestamp enterer author source responsible reason response focus
NamingSystem	name status date publisher contact useContext jurisdiction
NutritionOrder	status patient dateTime orderer
Observation	identifier basedOn status code subject effectiveDateTime effectivePeriod issued performer valueQuantity valueCodeableConcept valueString valueBoolean valueRange valueRatio valueSampledData valueAttachment valueTime valueDateTime valuePeriod related component
OperationDefinition	url version name status experimental date publisher contact useContext jurisdiction idempotent code base resource system type instance
OperationOutcome	issue
Organization	identifier active type name partOf
Parameters	parameter
Patient	identifier active name telecom gender birthDate deceasedBoolean deceasedDateTime address animal managingOrganization link
PaymentNotice	status
PaymentReconciliation	status
Person	name telecom gender birthDate managingOrganization active
PlanDefinition	url identifier version name title type status experimental date publisher description effectivePeriod useContext jurisdiction contact
Practitioner	identifier active name telecom address gender birthDate
PractitionerRole	identifier active period practitioner organization code specialty location telecom
Procedure	identifier definition basedOn partOf status notDone notDoneReason category code subject context performedDateTime performedPeriod performer location reasonCode reasonReference bodySite outcome
ProcedureRequest	identifier definition basedOn replaces requisition status intent priority doNotPerform category code subject context occurrenceDateTime occurrencePeriod occurrenceTiming asNeededBoolean asNeededCodeableConcept authoredOn requester performerType performer reasonCode reasonReference specimen bodySite
ProcessRequest	status
ProcessResponse	status
Provenance	target recorded
Questionnaire	url identifier version name title status experimental date publisher effectivePeriod useContext jurisdiction contact code subjectType
QuestionnaireResponse	identifier basedOn parent questionnaire status subject context authored author source
ReferralRequest	identifier definition basedOn replaces groupIdentifier status intent type priority serviceRequested subject context occurrenceDateTime occurrencePeriod authoredOn requester recipient reasonCode reasonReference
RelatedPerson	identifier active patient relationship name telecom gender birthDate address
RequestGroup	identifier groupIdentifier status intent priority
ResearchStudy	identifier title protocol partOf status category focus contact keyword jurisdiction enrollment period sponsor principalInvestigator site reasonStopped
ResearchSubject	identifier status period study individual
RiskAssessment	identifier method code subject context occurrenceDateTime occurrencePeriod condition performer
Schedule	identifier active serviceCategory serviceType specialty actor planningHorizon
SearchParameter	url version name status experimental date publisher contact useContext jurisdiction code base type description
Sequence	identifier type coordinateSystem patient specimen device performer quantity referenceSeq variant observedSeq quality readCoverage repository pointer
ServiceDefinition	url identifier version name title status experimental date publisher effectivePeriod useContext jurisdiction contact
Slot	identifier serviceCategory serviceType specialty appointmentType schedule status start end
Specimen	identifier accessionIdentifier status type subject receivedTime
StructureDefinition	url identifier version name title status experimental date publisher contact useContext jurisdiction keyword fhirVersion kind abstract contextType context contextInvariant type baseDefinition derivation
StructureMap	url identifier version name title status experimental date publisher contact useContext jurisdiction structure import group
Subscription	status contact end reason criteria error channel tag
Substance	identifier status category code description instance ingredient
SupplyDelivery	basedOn partOf status occurrenceDateTime occurrencePeriod occurrenceTiming
SupplyRequest	identifier status category priority orderedItem occurrenceDateTime occurrencePeriod occurrenceTiming authoredOn requester supplier
Task	definitionUri definitionReference basedOn groupIdentifier partOf status statusReason businessStatus intent code description focus for context executionPeriod lastModified requester owner
TestReport	identifier name status testScript result score tester issued
TestScript	url identifier version name title status experimental date publisher contact useContext jurisdiction
ValueSet	url identifier version name title status experimental date publisher contact useContext jurisdiction immutable extensible
VisionPrescription	status
`;
