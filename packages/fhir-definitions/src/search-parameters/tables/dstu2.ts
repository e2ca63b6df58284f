// Derived from the search parameter tables of @asymmetrik/node-fhir-server-core 2.2.5 (MIT, Copyright (c) Asymmetrik Ltd.),
// the profiles in fhir 3.3.1 (Apache-2.0) and the facts of HL7 FHIR DSTU2 1.0.2 (CC0-1.0).
// Made by scripts/derive-search-parameters.mjs; see read-search-parameter.ts for the format. Do not edit.

export const table = String.raw`# Resource
_content	string	Resource-content
_id	token	Resource-id	id:id
_lastUpdated	date	Resource-lastUpdated	meta.lastUpdated:instant
_profile	uri	Resource-profile	meta.profile*:uri
_query	token	Resource-query
_security	token	Resource-security	meta.security*:Coding
_tag	token	Resource-tag	meta.tag*:Coding
_text	string	Resource-text
# DomainResource
# Account
balance	quantity	Account-balance	balance:Money
identifier	token	Account-identifier	identifier*:Identifier
name	string	Account-name	name:string
owner	reference	Account-owner	owner:Reference	Organization
patient	reference	Account-patient	subject:Reference~Patient	Patient
period	date	Account-period	coveragePeriod:Period
status	token	Account-status	status:code
subject	reference	Account-subject	subject:Reference	Device,HealthcareService,Location,Organization,Patient,Practitioner
type	token	Account-type	type:CodeableConcept
# AllergyIntolerance
category	token	AllergyIntolerance-category	category:code=http://hl7.org/fhir/allergy-intolerance-category
criticality	token	AllergyIntolerance-criticality	criticality:code=http://hl7.org/fhir/allergy-intolerance-criticality
date	date	AllergyIntolerance-date	recordedDate:dateTime
identifier	token	AllergyIntolerance-identifier	identifier*:Identifier
last-date	date	AllergyIntolerance-last-date	lastOccurence:dateTime
manifestation	token	AllergyIntolerance-manifestation	reaction*.manifestation*:CodeableConcept
onset	date	AllergyIntolerance-onset	reaction*.onset:dateTime
patient	reference	AllergyIntolerance-patient	patient:Reference	Patient
recorder	reference	AllergyIntolerance-recorder	recorder:Reference	Patient,Practitioner
reporter	reference	AllergyIntolerance-reporter	reporter:Reference	Patient,Practitioner,RelatedPerson
route	token	AllergyIntolerance-route	reaction*.exposureRoute:CodeableConcept
severity	token	AllergyIntolerance-severity	reaction*.severity:code=http://hl7.org/fhir/reaction-event-severity
status	token	AllergyIntolerance-status	status:code
substance	token	AllergyIntolerance-substance	substance:CodeableConcept
type	token	AllergyIntolerance-type	type:code=http://hl7.org/fhir/allergy-intolerance-type
# Appointment
actor	reference	Appointment-actor	participant*.actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,RelatedPerson
date	date	Appointment-date	start:instant
identifier	token	Appointment-identifier	identifier*:Identifier
location	reference	Appointment-location	participant*.actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,RelatedPerson
part-status	token	Appointment-part-status	participant*.status:code=http://hl7.org/fhir/participationstatus
patient	reference	Appointment-patient	participant*.actor:Reference~Patient	Patient
practitioner	reference	Appointment-practitioner	participant*.actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,RelatedPerson
status	token	Appointment-status	status:code=http://hl7.org/fhir/appointmentstatus
# AppointmentResponse
actor	reference	AppointmentResponse-actor	actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,RelatedPerson
appointment	reference	AppointmentResponse-appointment	appointment:Reference	Appointment
identifier	token	AppointmentResponse-identifier	identifier*:Identifier
location	reference	AppointmentResponse-location	actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,RelatedPerson
part-status	token	AppointmentResponse-part-status	participantStatus:code
patient	reference	AppointmentResponse-patient	actor:Reference~Patient	Patient
practitioner	reference	AppointmentResponse-practitioner	actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,RelatedPerson
# AuditEvent
action	token	AuditEvent-action	event.action:code=http://hl7.org/fhir/audit-event-action
address	token	AuditEvent-address	participant*.network.address:string
altid	token	AuditEvent-altid	participant*.altId:string
date	date	AuditEvent-date	event.dateTime:instant
desc	string	AuditEvent-desc	object*.name:string
identity	token	AuditEvent-identity	object*.identifier:Identifier
name	string	AuditEvent-name	participant*.name:string
object-type	token	AuditEvent-object-type	object*.type:Coding
participant	reference	AuditEvent-participant	participant*.reference:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
patient	reference	AuditEvent-patient	participant*.reference:Reference~Patient	Patient
policy	uri	AuditEvent-policy	participant*.policy*:uri
reference	reference	AuditEvent-reference	object*.reference:Reference	*
site	token	AuditEvent-site	source.site:string
source	token	AuditEvent-source	source.identifier:Identifier
subtype	token	AuditEvent-subtype	event.subtype*:Coding
type	token	AuditEvent-type	event.type:Coding
user	token	AuditEvent-user	participant*.userId:Identifier
# Basic
author	reference	Basic-author	author:Reference	Patient,Practitioner,RelatedPerson
code	token	Basic-code	code:CodeableConcept
created	date	Basic-created	created:date
identifier	token	Basic-identifier	identifier*:Identifier
patient	reference	Basic-patient	subject:Reference~Patient	Patient
subject	reference	Basic-subject	subject:Reference	*
# Binary
contenttype	token	Binary-contenttype	contentType:code
# BodySite
code	token	BodySite-code	code:CodeableConcept
identifier	token	BodySite-identifier	identifier*:Identifier
patient	reference	BodySite-patient	patient:Reference	Patient
# Bundle
composition	reference	Bundle-composition	entry*.resource[0]:Resource	*
message	reference	Bundle-message	entry*.resource[0]:Resource	*
type	token	Bundle-type	type:code=http://hl7.org/fhir/bundle-type
# CarePlan
activitycode	token	CarePlan-activitycode	activity*.detail.code:CodeableConcept
activitydate	date	CarePlan-activitydate	activity*.detail.scheduled(Timing):Timing;activity*.detail.scheduled(Period):Period
activityreference	reference	CarePlan-activityreference	activity*.reference:Reference	Appointment,CommunicationRequest,DeviceUseRequest,DiagnosticOrder,MedicationOrder,NutritionOrder,Order,ProcedureRequest,ProcessRequest,ReferralRequest,SupplyRequest,VisionPrescription
condition	reference	CarePlan-condition	addresses*:Reference	Condition
date	date	CarePlan-date	period:Period
goal	reference	CarePlan-goal	goal*:Reference	Goal
participant	reference	CarePlan-participant	participant*.member:Reference	Organization,Patient,Practitioner,RelatedPerson
patient	reference	CarePlan-patient	subject:Reference~Patient	Patient
performer	reference	CarePlan-performer	activity*.detail.performer*:Reference	Organization,Patient,Practitioner,RelatedPerson
related	composite	CarePlan-related			relatedPlan*	relatedcode token code:code & relatedplan reference plan:Reference
relatedcode	token	CarePlan-relatedcode	relatedPlan*.code:code
relatedplan	reference	CarePlan-relatedplan	relatedPlan*.plan:Reference	CarePlan
subject	reference	CarePlan-subject	subject:Reference	Group,Patient
# Claim
identifier	token	Claim-identifier	identifier*:Identifier
patient	reference	Claim-patient	patient:Reference	Patient
priority	token	Claim-priority	priority:Coding
provider	reference	Claim-provider	provider:Reference	Practitioner
use	token	Claim-use	use:code
# ClaimResponse
identifier	token	ClaimResponse-identifier	identifier*:Identifier
# ClinicalImpression
action	reference	ClinicalImpression-action	action*:Reference	Appointment,DiagnosticOrder,MedicationOrder,NutritionOrder,Procedure,ProcedureRequest,ReferralRequest,SupplyRequest
assessor	reference	ClinicalImpression-assessor	assessor:Reference	Practitioner
date	date	ClinicalImpression-date	date:dateTime
finding	token	ClinicalImpression-finding	finding*.item:CodeableConcept
investigation	reference	ClinicalImpression-investigation	investigations*.item*:Reference	DiagnosticReport,FamilyMemberHistory,Observation,QuestionnaireResponse
patient	reference	ClinicalImpression-patient	patient:Reference	Patient
plan	reference	ClinicalImpression-plan	plan*:Reference	Appointment,CarePlan,CommunicationRequest,DeviceUseRequest,DiagnosticOrder,MedicationOrder,NutritionOrder,Order,ProcedureRequest,ProcessRequest,ReferralRequest,SupplyRequest,VisionPrescription
previous	reference	ClinicalImpression-previous	previous:Reference	ClinicalImpression
problem	reference	ClinicalImpression-problem	problem*:Reference	AllergyIntolerance,Condition
resolved	token	ClinicalImpression-resolved	resolved*:CodeableConcept
ruledout	token	ClinicalImpression-ruledout	ruledOut*.item:CodeableConcept
status	token	ClinicalImpression-status	status:code=http://hl7.org/fhir/clinical-impression-status
trigger	reference	ClinicalImpression-trigger	trigger(Reference):Reference	*
trigger-code	token	ClinicalImpression-trigger-code	trigger(CodeableConcept):CodeableConcept
# Communication
category	token	Communication-category	category:CodeableConcept
encounter	reference	Communication-encounter	encounter:Reference	Encounter
identifier	token	Communication-identifier	identifier*:Identifier
medium	token	Communication-medium	medium*:CodeableConcept
patient	reference	Communication-patient	subject:Reference	Patient
received	date	Communication-received	received:dateTime
recipient	reference	Communication-recipient	recipient*:Reference	Device,Group,Organization,Patient,Practitioner,RelatedPerson
request	reference	Communication-request	requestDetail:Reference	CommunicationRequest
sender	reference	Communication-sender	sender:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
sent	date	Communication-sent	sent:dateTime
status	token	Communication-status	status:code
subject	reference	Communication-subject	subject:Reference	Patient
# CommunicationRequest
category	token	CommunicationRequest-category	category:CodeableConcept
encounter	reference	CommunicationRequest-encounter	encounter:Reference	Encounter
identifier	token	CommunicationRequest-identifier	identifier*:Identifier
medium	token	CommunicationRequest-medium	medium*:CodeableConcept
patient	reference	CommunicationRequest-patient	subject:Reference	Patient
priority	token	CommunicationRequest-priority	priority:CodeableConcept
recipient	reference	CommunicationRequest-recipient	recipient*:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
requested	date	CommunicationRequest-requested	requestedOn:dateTime
requester	reference	CommunicationRequest-requester	requester:Reference	Patient,Practitioner,RelatedPerson
sender	reference	CommunicationRequest-sender	sender:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
status	token	CommunicationRequest-status	status:code
subject	reference	CommunicationRequest-subject	subject:Reference	Patient
time	date	CommunicationRequest-time	scheduled(DateTime):dateTime
# Composition
attester	reference	Composition-attester	attester*.party:Reference	Organization,Patient,Practitioner
author	reference	Composition-author	author*:Reference	Device,Patient,Practitioner,RelatedPerson
class	token	Composition-class	class:CodeableConcept
confidentiality	token	Composition-confidentiality	confidentiality:code=http://hl7.org/fhir/v3/Confidentiality
context	token	Composition-context	event*.code*:CodeableConcept
date	date	Composition-date	date:dateTime
encounter	reference	Composition-encounter	encounter:Reference	Encounter
entry	reference	Composition-entry	section*.entry*:Reference	*
identifier	token	Composition-identifier	identifier:Identifier
patient	reference	Composition-patient	subject:Reference~Patient	Patient
period	date	Composition-period	event*.period:Period
section	token	Composition-section	section*.code:CodeableConcept
status	token	Composition-status	status:code=http://hl7.org/fhir/composition-status
subject	reference	Composition-subject	subject:Reference	*
title	string	Composition-title	title:string
type	token	Composition-type	type:CodeableConcept
# ConceptMap
context	token	ConceptMap-context	useContext*:CodeableConcept
date	date	ConceptMap-date	date:dateTime
dependson	uri	ConceptMap-dependson	element*.target*.dependsOn*.element:uri
description	string	ConceptMap-description	description:string
identifier	token	ConceptMap-identifier	identifier:Identifier
name	string	ConceptMap-name	name:string
product	uri	ConceptMap-product	element*.target*.product*.element:uri
publisher	string	ConceptMap-publisher	publisher:string
source	reference	ConceptMap-source	source(Reference):Reference	StructureDefinition,ValueSet
sourcecode	token	ConceptMap-sourcecode	element*.code:code
sourcesystem	uri	ConceptMap-sourcesystem	element*.codeSystem:uri
sourceuri	reference	ConceptMap-sourceuri	source(Uri):uri	*
status	token	ConceptMap-status	status:code
target	reference	ConceptMap-target	target(Uri):uri;target(Reference):Reference	StructureDefinition,ValueSet
targetcode	token	ConceptMap-targetcode	element*.target*.code:code
targetsystem	uri	ConceptMap-targetsystem	element*.target*.codeSystem:uri
url	uri	ConceptMap-url	url:uri
version	token	ConceptMap-version	version:string
# Condition
asserter	reference	Condition-asserter	asserter:Reference	Patient,Practitioner
body-site	token	Condition-body-site	bodySite*:CodeableConcept
category	token	Condition-category	category:CodeableConcept
clinicalstatus	token	Condition-clinicalstatus	clinicalStatus:code=http://hl7.org/fhir/condition-clinical
code	token	Condition-code	code:CodeableConcept
date-recorded	date	Condition-date-recorded	dateRecorded:date
encounter	reference	Condition-encounter	encounter:Reference	Encounter
evidence	token	Condition-evidence	evidence*.code:CodeableConcept
identifier	token	Condition-identifier	identifier*:Identifier
onset	date	Condition-onset	onset(DateTime):dateTime;onset(Period):Period
onset-info	string	Condition-onset-info	onset(String):string
patient	reference	Condition-patient	patient:Reference	Patient
severity	token	Condition-severity	severity:CodeableConcept
stage	token	Condition-stage	stage.summary:CodeableConcept
# Conformance
date	date	Conformance-date	date:dateTime
description	string	Conformance-description	description:string
event	token	Conformance-event	messaging*.event*.code:Coding
fhirversion	token	Conformance-fhirversion	version:string
format	token	Conformance-format	format*:code
mode	token	Conformance-mode	rest*.mode:code
name	string	Conformance-name	name:string
profile	reference	Conformance-profile	rest*.resource*.profile:Reference	StructureDefinition
publisher	string	Conformance-publisher	publisher:string
resource	token	Conformance-resource	rest*.resource*.type:code=http://hl7.org/fhir/resource-types
security	token	Conformance-security	rest*.security.service*:CodeableConcept
software	string	Conformance-software	software.name:string
status	token	Conformance-status	status:code
supported-profile	reference	Conformance-supported-profile	profile*:Reference	StructureDefinition
url	uri	Conformance-url	url:uri
version	token	Conformance-version	version:string
# Contract
actor	reference	Contract-actor	actor*.entity:Reference	Contract,Device,Group,Location,Organization,Patient,Practitioner,RelatedPerson,Substance
identifier	token	Contract-identifier	identifier:Identifier
patient	reference	Contract-patient	subject*:Reference~Patient	Patient
signer	reference	Contract-signer	signer*.party:Reference	Organization,Patient,Practitioner,RelatedPerson
subject	reference	Contract-subject	subject*:Reference	*
# Coverage
dependent	token	Coverage-dependent	dependent:positiveInt
group	token	Coverage-group	group:string
identifier	token	Coverage-identifier	identifier*:Identifier
issuer	reference	Coverage-issuer	issuer:Reference	Organization
plan	token	Coverage-plan	plan:string
sequence	token	Coverage-sequence	sequence:positiveInt
subplan	token	Coverage-subplan	subPlan:string
type	token	Coverage-type	type:Coding
# DataElement
code	token	DataElement-code	element*.code*:Coding
context	token	DataElement-context	useContext*:CodeableConcept
date	date	DataElement-date	date:dateTime
description	string	DataElement-description	element*.definition:markdown
identifier	token	DataElement-identifier	identifier*:Identifier
name	string	DataElement-name	name:string
objectClass	token	elementdefinition-11179-DataElement-objectClass	element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClass].value(CodeableConcept):CodeableConcept;element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClass].value(Coding):Coding;element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClass].value(Code):code
objectClassProperty	token	elementdefinition-11179-DataElement-objectClassProperty	element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClassProperty].value(CodeableConcept):CodeableConcept;element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClassProperty].value(Coding):Coding;element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClassProperty].value(Code):code
publisher	string	DataElement-publisher	publisher:string
status	token	DataElement-status	status:code
stringency	token	DataElement-stringency	stringency:code=http://hl7.org/fhir/dataelement-stringency
url	uri	DataElement-url	url:uri
version	string	DataElement-version	version:string
# DetectedIssue
author	reference	DetectedIssue-author	author:Reference	Device,Practitioner
category	token	DetectedIssue-category	category:CodeableConcept
date	date	DetectedIssue-date	date:dateTime
identifier	token	DetectedIssue-identifier	identifier:Identifier
implicated	reference	DetectedIssue-implicated	implicated*:Reference	*
patient	reference	DetectedIssue-patient	patient:Reference	Patient
# Device
identifier	token	Device-identifier	identifier*:Identifier
location	reference	Device-location	location:Reference	Location
manufacturer	string	Device-manufacturer	manufacturer:string
model	string	Device-model	model:string
organization	reference	Device-organization	owner:Reference	Organization
patient	reference	Device-patient	patient:Reference	Patient
type	token	Device-type	type:CodeableConcept
udi	string	Device-udi	udi:string
url	uri	Device-url	url:uri
# DeviceComponent
parent	reference	DeviceComponent-parent	parent:Reference	DeviceComponent
source	reference	DeviceComponent-source	source:Reference	Device
type	token	DeviceComponent-type	type:CodeableConcept
# DeviceMetric
category	token	DeviceMetric-category	category:code=http://hl7.org/fhir/metric-category
identifier	token	DeviceMetric-identifier	identifier:Identifier
parent	reference	DeviceMetric-parent	parent:Reference	DeviceComponent
source	reference	DeviceMetric-source	source:Reference	Device
type	token	DeviceMetric-type	type:CodeableConcept
# DeviceUseRequest
device	reference	DeviceUseRequest-device	device:Reference	Device
patient	reference	DeviceUseRequest-patient	subject:Reference	Patient
subject	reference	DeviceUseRequest-subject	subject:Reference	Patient
# DeviceUseStatement
device	reference	DeviceUseStatement-device	device:Reference	Device
patient	reference	DeviceUseStatement-patient	subject:Reference	Patient
subject	reference	DeviceUseStatement-subject	subject:Reference	Patient
# DiagnosticOrder
actor	reference	DiagnosticOrder-actor	event*.actor:Reference	Device,Practitioner
bodysite	token	DiagnosticOrder-bodysite	item*.bodySite:CodeableConcept
code	token	DiagnosticOrder-code	item*.code:CodeableConcept
encounter	reference	DiagnosticOrder-encounter	encounter:Reference	Encounter
event-date	date	DiagnosticOrder-event-date	event*.dateTime:dateTime
event-status	token	DiagnosticOrder-event-status	event*.status:code
event-status-date	composite	DiagnosticOrder-event-status-date			event*	event-status token status:code & event-date date dateTime:dateTime
identifier	token	DiagnosticOrder-identifier	identifier*:Identifier
item-date	date	DiagnosticOrder-item-date	item*.event*.dateTime:dateTime
item-past-status	token	DiagnosticOrder-item-past-status	item*.event*.status:code
item-status	token	DiagnosticOrder-item-status	item*.status:code
item-status-date	composite	DiagnosticOrder-item-status-date			item*.event*	item-past-status token status:code & item-date date dateTime:dateTime
orderer	reference	DiagnosticOrder-orderer	orderer:Reference	Practitioner
patient	reference	DiagnosticOrder-patient	subject:Reference~Patient	Patient
specimen	reference	DiagnosticOrder-specimen	specimen*:Reference	Specimen
status	token	DiagnosticOrder-status	status:code
subject	reference	DiagnosticOrder-subject	subject:Reference	Device,Group,Location,Patient
# DiagnosticReport
category	token	DiagnosticReport-category	category:CodeableConcept
code	token	DiagnosticReport-code	code:CodeableConcept
date	date	DiagnosticReport-date	effective(DateTime):dateTime;effective(Period):Period
diagnosis	token	DiagnosticReport-diagnosis	codedDiagnosis*:CodeableConcept
encounter	reference	DiagnosticReport-encounter	encounter:Reference	Encounter
identifier	token	DiagnosticReport-identifier	identifier*:Identifier
image	reference	DiagnosticReport-image	image*.link:Reference	Media
issued	date	DiagnosticReport-issued	issued:instant
patient	reference	DiagnosticReport-patient	subject:Reference~Patient	Patient
performer	reference	DiagnosticReport-performer	performer:Reference	Organization,Practitioner
request	reference	DiagnosticReport-request	request*:Reference	DiagnosticOrder,ProcedureRequest,ReferralRequest
result	reference	DiagnosticReport-result	result*:Reference	Observation
specimen	reference	DiagnosticReport-specimen	specimen*:Reference	Specimen
status	token	DiagnosticReport-status	status:code=http://hl7.org/fhir/diagnostic-report-status
subject	reference	DiagnosticReport-subject	subject:Reference	Device,Group,Location,Patient
# DocumentManifest
author	reference	DocumentManifest-author	author*:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
content-ref	reference	DocumentManifest-content-ref	content*.p(Reference):Reference	*
created	date	DocumentManifest-created	created:dateTime
description	string	DocumentManifest-description	description:string
identifier	token	DocumentManifest-identifier	masterIdentifier:Identifier
patient	reference	DocumentManifest-patient	subject:Reference~Patient	Patient
recipient	reference	DocumentManifest-recipient	recipient*:Reference	Organization,Patient,Practitioner,RelatedPerson
related-id	token	DocumentManifest-related-id	related*.identifier:Identifier
related-ref	reference	DocumentManifest-related-ref	related*.ref:Reference	*
source	uri	DocumentManifest-source	source:uri
status	token	DocumentManifest-status	status:code=http://hl7.org/fhir/document-reference-status
subject	reference	DocumentManifest-subject	subject:Reference	Device,Group,Patient,Practitioner
type	token	DocumentManifest-type	type:CodeableConcept
# DocumentReference
authenticator	reference	DocumentReference-authenticator	authenticator:Reference	Organization,Practitioner
author	reference	DocumentReference-author	author*:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
class	token	DocumentReference-class	class:CodeableConcept
created	date	DocumentReference-created	created:dateTime
custodian	reference	DocumentReference-custodian	custodian:Reference	Organization
description	string	DocumentReference-description	description:string
encounter	reference	DocumentReference-encounter	context.encounter:Reference	Encounter
event	token	DocumentReference-event	context.event*:CodeableConcept
facility	token	DocumentReference-facility	context.facilityType:CodeableConcept
format	token	DocumentReference-format	content*.format*:Coding
identifier	token	DocumentReference-identifier	masterIdentifier:Identifier
indexed	date	DocumentReference-indexed	indexed:instant
language	token	DocumentReference-language	content*.attachment.language:code=urn:ietf:bcp:47
location	uri	DocumentReference-location	content*.attachment.url:uri
patient	reference	DocumentReference-patient	subject:Reference~Patient	Patient
period	date	DocumentReference-period	context.period:Period
related-id	token	DocumentReference-related-id	context.related*.identifier:Identifier
related-ref	reference	DocumentReference-related-ref	context.related*.ref:Reference	*
relatesto	reference	DocumentReference-relatesto	relatesTo*.target:Reference	DocumentReference
relation	token	DocumentReference-relation	relatesTo*.code:code=http://hl7.org/fhir/document-relationship-type
relationship	composite	DocumentReference-relationship			relatesTo*	relatesto reference target:Reference & relation token code:code=http://hl7.org/fhir/document-relationship-type
securitylabel	token	DocumentReference-securitylabel	securityLabel*:CodeableConcept
setting	token	DocumentReference-setting	context.practiceSetting:CodeableConcept
status	token	DocumentReference-status	status:code=http://hl7.org/fhir/document-reference-status
subject	reference	DocumentReference-subject	subject:Reference	Device,Group,Patient,Practitioner
type	token	DocumentReference-type	type:CodeableConcept
# EligibilityRequest
identifier	token	EligibilityRequest-identifier	identifier*:Identifier
# EligibilityResponse
identifier	token	EligibilityResponse-identifier	identifier*:Identifier
# Encounter
appointment	reference	Encounter-appointment	appointment:Reference	Appointment
condition	reference	Encounter-condition	indication*:Reference	Condition,Procedure
date	date	Encounter-date	period:Period
episodeofcare	reference	Encounter-episodeofcare	episodeOfCare*:Reference	EpisodeOfCare
identifier	token	Encounter-identifier	identifier*:Identifier
incomingreferral	reference	Encounter-incomingreferral	incomingReferral*:Reference	ReferralRequest
indication	reference	Encounter-indication	indication*:Reference	Condition,Procedure
length	number	Encounter-length	length:Quantity
location	reference	Encounter-location	location*.location:Reference	Location
location-period	date	Encounter-location-period	location*.period:Period
part-of	reference	Encounter-part-of	partOf:Reference	Encounter
participant	reference	Encounter-participant	participant*.individual:Reference	Practitioner,RelatedPerson
participant-type	token	Encounter-participant-type	participant*.type*:CodeableConcept
patient	reference	Encounter-patient	patient:Reference	Patient
practitioner	reference	Encounter-practitioner	participant*.individual:Reference	Practitioner,RelatedPerson
procedure	reference	Encounter-procedure	indication*:Reference	Condition,Procedure
reason	token	Encounter-reason	reason*:CodeableConcept
special-arrangement	token	Encounter-special-arrangement	hospitalization.specialArrangement*:CodeableConcept
status	token	Encounter-status	status:code
type	token	Encounter-type	type*:CodeableConcept
# EnrollmentRequest
identifier	token	EnrollmentRequest-identifier	identifier*:Identifier
patient	reference	EnrollmentRequest-patient	subject:Reference	Patient
subject	reference	EnrollmentRequest-subject	subject:Reference	Patient
# EnrollmentResponse
identifier	token	EnrollmentResponse-identifier	identifier*:Identifier
# EpisodeOfCare
care-manager	reference	EpisodeOfCare-care-manager	careManager:Reference	Practitioner
condition	reference	EpisodeOfCare-condition	condition*:Reference	Condition
date	date	EpisodeOfCare-date	period:Period
identifier	token	EpisodeOfCare-identifier	identifier*:Identifier
incomingreferral	reference	EpisodeOfCare-incomingreferral	referralRequest*:Reference	ReferralRequest
organization	reference	EpisodeOfCare-organization	managingOrganization:Reference	Organization
patient	reference	EpisodeOfCare-patient	patient:Reference	Patient
status	token	EpisodeOfCare-status	status:code=http://hl7.org/fhir/episode-of-care-status
team-member	reference	EpisodeOfCare-team-member	careTeam*.member:Reference	Organization,Practitioner
type	token	EpisodeOfCare-type	type*:CodeableConcept
# ExplanationOfBenefit
identifier	token	ExplanationOfBenefit-identifier	identifier*:Identifier
# FamilyMemberHistory
code	token	FamilyMemberHistory-code	condition*.code:CodeableConcept
condition	token	familymemberhistory-daf-FamilyMemberHistory-condition	condition*.code:CodeableConcept
date	date	FamilyMemberHistory-date	date:dateTime
gender	token	FamilyMemberHistory-gender	gender:code=http://hl7.org/fhir/administrative-gender
identifier	token	FamilyMemberHistory-identifier	identifier*:Identifier
patient	reference	FamilyMemberHistory-patient	patient:Reference	Patient
relationship	token	FamilyMemberHistory-relationship	relationship:CodeableConcept
# Flag
author	reference	Flag-author	author:Reference	Device,Organization,Patient,Practitioner
date	date	Flag-date	period:Period
encounter	reference	Flag-encounter	encounter:Reference	Encounter
patient	reference	Flag-patient	subject:Reference~Patient	Patient
subject	reference	Flag-subject	subject:Reference	Group,Location,Organization,Patient,Practitioner
# Goal
category	token	Goal-category	category*:CodeableConcept
identifier	token	Goal-identifier	identifier*:Identifier
patient	reference	Goal-patient	subject:Reference~Patient	Patient
status	token	Goal-status	status:code=http://hl7.org/fhir/goal-status
subject	reference	Goal-subject	subject:Reference	Group,Organization,Patient
targetdate	date	Goal-targetdate	target(Date):date
# Group
actual	token	Group-actual	actual:boolean
characteristic	token	Group-characteristic	characteristic*.code:CodeableConcept
characteristic-value	composite	Group-characteristic-value			characteristic*	characteristic token code:CodeableConcept & value token value(CodeableConcept):CodeableConcept;value(Boolean):boolean
code	token	Group-code	code:CodeableConcept
exclude	token	Group-exclude	characteristic*.exclude:boolean
identifier	token	Group-identifier	identifier*:Identifier
member	reference	Group-member	member*.entity:Reference	Device,Medication,Patient,Practitioner,Substance
type	token	Group-type	type:code=http://hl7.org/fhir/group-type
value	token	Group-value	characteristic*.value(CodeableConcept):CodeableConcept;characteristic*.value(Boolean):boolean
# HealthcareService
characteristic	token	HealthcareService-characteristic	characteristic*:CodeableConcept
identifier	token	HealthcareService-identifier	identifier*:Identifier
location	reference	HealthcareService-location	location:Reference	Location
name	string	HealthcareService-name	serviceName:string
organization	reference	HealthcareService-organization	providedBy:Reference	Organization
programname	string	HealthcareService-programname	programName*:string
servicecategory	token	HealthcareService-servicecategory	serviceCategory:CodeableConcept
servicetype	token	HealthcareService-servicetype	serviceType*.type:CodeableConcept
# ImagingObjectSelection
author	reference	ImagingObjectSelection-author	author:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
authoring-time	date	ImagingObjectSelection-authoring-time	authoringTime:dateTime
identifier	uri	ImagingObjectSelection-identifier	uid:oid
patient	reference	ImagingObjectSelection-patient	patient:Reference	Patient
selected-study	uri	ImagingObjectSelection-selected-study	study*.uid:oid
title	token	ImagingObjectSelection-title	title:CodeableConcept
# ImagingStudy
accession	token	ImagingStudy-accession	accession:Identifier
bodysite	token	ImagingStudy-bodysite	series*.bodySite:Coding
dicom-class	uri	ImagingStudy-dicom-class	series*.instance*.sopClass:oid
modality	token	ImagingStudy-modality	series*.modality:Coding
order	reference	ImagingStudy-order	order*:Reference	DiagnosticOrder
patient	reference	ImagingStudy-patient	patient:Reference	Patient
series	uri	ImagingStudy-series	series*.uid:oid
started	date	ImagingStudy-started	started:dateTime
study	uri	ImagingStudy-study	uid:oid
uid	uri	ImagingStudy-uid	series*.instance*.uid:oid
# Immunization
date	date	Immunization-date	date:dateTime
dose-sequence	number	Immunization-dose-sequence	vaccinationProtocol*.doseSequence:positiveInt
identifier	token	Immunization-identifier	identifier*:Identifier
location	reference	Immunization-location	location:Reference	Location
lot-number	string	Immunization-lot-number	lotNumber:string
manufacturer	reference	Immunization-manufacturer	manufacturer:Reference	Organization
notgiven	token	Immunization-notgiven	wasNotGiven:boolean
patient	reference	Immunization-patient	patient:Reference	Patient
performer	reference	Immunization-performer	performer:Reference	Practitioner
reaction	reference	Immunization-reaction	reaction*.detail:Reference	Observation
reaction-date	date	Immunization-reaction-date	reaction*.date:dateTime
reason	token	Immunization-reason	explanation.reason*:CodeableConcept
reason-not-given	token	Immunization-reason-not-given	explanation.reasonNotGiven*:CodeableConcept
requester	reference	Immunization-requester	requester:Reference	Practitioner
status	token	Immunization-status	status:code=http://hl7.org/fhir/medication-admin-status
vaccine-code	token	Immunization-vaccine-code	vaccineCode:CodeableConcept
# ImmunizationRecommendation
date	date	ImmunizationRecommendation-date	recommendation*.date:dateTime
dose-number	number	ImmunizationRecommendation-dose-number	recommendation*.doseNumber:positiveInt
dose-sequence	number	ImmunizationRecommendation-dose-sequence	recommendation*.protocol.doseSequence:integer
identifier	token	ImmunizationRecommendation-identifier	identifier*:Identifier
information	reference	ImmunizationRecommendation-information	recommendation*.supportingPatientInformation*:Reference	AllergyIntolerance,Observation
patient	reference	ImmunizationRecommendation-patient	patient:Reference	Patient
status	token	ImmunizationRecommendation-status	recommendation*.forecastStatus:CodeableConcept
support	reference	ImmunizationRecommendation-support	recommendation*.supportingImmunization*:Reference	Immunization
vaccine-type	token	ImmunizationRecommendation-vaccine-type	recommendation*.vaccineCode:CodeableConcept
# ImplementationGuide
context	token	ImplementationGuide-context	useContext*:CodeableConcept
date	date	ImplementationGuide-date	date:dateTime
dependency	uri	ImplementationGuide-dependency	dependency*.uri:uri
description	string	ImplementationGuide-description	description:string
experimental	token	ImplementationGuide-experimental	experimental:boolean
name	string	ImplementationGuide-name	name:string
publisher	string	ImplementationGuide-publisher	publisher:string
status	token	ImplementationGuide-status	status:code
url	uri	ImplementationGuide-url	url:uri
version	token	ImplementationGuide-version	version:string
# List
code	token	List-code	code:CodeableConcept
date	date	List-date	date:dateTime
empty-reason	token	List-empty-reason	emptyReason:CodeableConcept
encounter	reference	List-encounter	encounter:Reference	Encounter
item	reference	List-item	entry*.item:Reference	*
notes	string	List-notes	note:string
patient	reference	List-patient	subject:Reference~Patient	Patient
source	reference	List-source	source:Reference	Device,Patient,Practitioner
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
identifier	token	Location-identifier	identifier*:Identifier
name	string	Location-name	name:string
near	token	Location-near	position:BackboneElement
near-distance	token	Location-near-distance	position:BackboneElement
organization	reference	Location-organization	managingOrganization:Reference	Organization
partof	reference	Location-partof	partOf:Reference	Location
status	token	Location-status	status:code=http://hl7.org/fhir/location-status
type	token	Location-type	type:CodeableConcept
# Media
created	date	Media-created	content.creation:dateTime
identifier	token	Media-identifier	identifier*:Identifier
operator	reference	Media-operator	operator:Reference	Practitioner
patient	reference	Media-patient	subject:Reference~Patient	Patient
subject	reference	Media-subject	subject:Reference	Device,Group,Patient,Practitioner,Specimen
subtype	token	Media-subtype	subtype:CodeableConcept
type	token	Media-type	type:code=http://hl7.org/fhir/digital-media-type
view	token	Media-view	view:CodeableConcept
# Medication
code	token	Medication-code	code:CodeableConcept
container	token	Medication-container	package.container:CodeableConcept
content	reference	Medication-content	package.content*.item:Reference	Medication
form	token	Medication-form	product.form:CodeableConcept
ingredient	reference	Medication-ingredient	product.ingredient*.item:Reference	Medication,Substance
manufacturer	reference	Medication-manufacturer	manufacturer:Reference	Organization
# MedicationAdministration
code	token	MedicationAdministration-code	medication(CodeableConcept):CodeableConcept
device	reference	MedicationAdministration-device	device*:Reference	Device
effectivetime	date	MedicationAdministration-effectivetime	effectiveTime(DateTime):dateTime;effectiveTime(Period):Period
encounter	reference	MedicationAdministration-encounter	encounter:Reference	Encounter
identifier	token	MedicationAdministration-identifier	identifier*:Identifier
medication	reference	MedicationAdministration-medication	medication(Reference):Reference	Medication
notgiven	token	MedicationAdministration-notgiven	wasNotGiven:boolean
patient	reference	MedicationAdministration-patient	patient:Reference	Patient
practitioner	reference	MedicationAdministration-practitioner	practitioner:Reference	Patient,Practitioner,RelatedPerson
prescription	reference	MedicationAdministration-prescription	prescription:Reference	MedicationOrder
status	token	MedicationAdministration-status	status:code=http://hl7.org/fhir/medication-admin-status
# MedicationDispense
code	token	MedicationDispense-code	medication(CodeableConcept):CodeableConcept
destination	reference	MedicationDispense-destination	destination:Reference	Location
dispenser	reference	MedicationDispense-dispenser	dispenser:Reference	Practitioner
identifier	token	MedicationDispense-identifier	identifier:Identifier
medication	reference	MedicationDispense-medication	medication(Reference):Reference	Medication
patient	reference	MedicationDispense-patient	patient:Reference	Patient
prescription	reference	MedicationDispense-prescription	authorizingPrescription*:Reference	MedicationOrder
receiver	reference	MedicationDispense-receiver	receiver*:Reference	Patient,Practitioner
responsibleparty	reference	MedicationDispense-responsibleparty	substitution.responsibleParty*:Reference	Practitioner
status	token	MedicationDispense-status	status:code=http://hl7.org/fhir/medication-dispense-status
type	token	MedicationDispense-type	type:CodeableConcept
whenhandedover	date	MedicationDispense-whenhandedover	whenHandedOver:dateTime
whenprepared	date	MedicationDispense-whenprepared	whenPrepared:dateTime
# MedicationOrder
code	token	MedicationOrder-code	medication(CodeableConcept):CodeableConcept
datewritten	date	MedicationOrder-datewritten	dateWritten:dateTime
encounter	reference	MedicationOrder-encounter	encounter:Reference	Encounter
identifier	token	MedicationOrder-identifier	identifier*:Identifier
medication	reference	MedicationOrder-medication	medication(Reference):Reference	Medication
patient	reference	MedicationOrder-patient	patient:Reference	Patient
prescriber	reference	MedicationOrder-prescriber	prescriber:Reference	Practitioner
status	token	MedicationOrder-status	status:code
# MedicationStatement
code	token	MedicationStatement-code	medication(CodeableConcept):CodeableConcept
effectivedate	date	MedicationStatement-effectivedate	effective(DateTime):dateTime;effective(Period):Period
identifier	token	MedicationStatement-identifier	identifier*:Identifier
medication	reference	MedicationStatement-medication	medication(Reference):Reference	Medication
patient	reference	MedicationStatement-patient	patient:Reference	Patient
source	reference	MedicationStatement-source	informationSource:Reference	Patient,Practitioner,RelatedPerson
status	token	MedicationStatement-status	status:code=http://hl7.org/fhir/medication-statement-status
# MessageHeader
author	reference	MessageHeader-author	author:Reference	Practitioner
code	token	MessageHeader-code	response.code:code=http://hl7.org/fhir/response-code
data	reference	MessageHeader-data	data*:Reference	*
destination	string	MessageHeader-destination	destination*.name:string
destination-uri	uri	MessageHeader-destination-uri	destination*.endpoint:uri
enterer	reference	MessageHeader-enterer	enterer:Reference	Practitioner
event	token	MessageHeader-event	event:Coding
receiver	reference	MessageHeader-receiver	receiver:Reference	Organization,Practitioner
response-id	token	MessageHeader-response-id	response.identifier:id
responsible	reference	MessageHeader-responsible	responsible:Reference	Organization,Practitioner
source	string	MessageHeader-source	source.name:string
source-uri	uri	MessageHeader-source-uri	source.endpoint:uri
target	reference	MessageHeader-target	destination*.target:Reference	Device
timestamp	date	MessageHeader-timestamp	timestamp:instant
# NamingSystem
contact	string	NamingSystem-contact	contact*.name:string
context	token	NamingSystem-context	useContext*:CodeableConcept
date	date	NamingSystem-date	date:dateTime
id-type	token	NamingSystem-id-type	uniqueId*.type:code=http://hl7.org/fhir/namingsystem-identifier-type
kind	token	NamingSystem-kind	kind:code=http://hl7.org/fhir/namingsystem-type
name	string	NamingSystem-name	name:string
period	date	NamingSystem-period	uniqueId*.period:Period
publisher	string	NamingSystem-publisher	publisher:string
replaced-by	reference	NamingSystem-replaced-by	replacedBy:Reference	NamingSystem
responsible	string	NamingSystem-responsible	responsible:string
status	token	NamingSystem-status	status:code
telecom	token	NamingSystem-telecom	contact*.telecom*:ContactPoint
type	token	NamingSystem-type	type:CodeableConcept
value	string	NamingSystem-value	uniqueId*.value:string
# NutritionOrder
additive	token	NutritionOrder-additive	enteralFormula.additiveType:CodeableConcept
datetime	date	NutritionOrder-datetime	dateTime:dateTime
encounter	reference	NutritionOrder-encounter	encounter:Reference	Encounter
formula	token	NutritionOrder-formula	enteralFormula.baseFormulaType:CodeableConcept
identifier	token	NutritionOrder-identifier	identifier*:Identifier
oraldiet	token	NutritionOrder-oraldiet	oralDiet.type*:CodeableConcept
patient	reference	NutritionOrder-patient	patient:Reference	Patient
provider	reference	NutritionOrder-provider	orderer:Reference	Practitioner
status	token	NutritionOrder-status	status:code
supplement	token	NutritionOrder-supplement	supplement*.type:CodeableConcept
# Observation
category	token	Observation-category	category:CodeableConcept
code	token	Observation-code	code:CodeableConcept
code-value-concept	composite	Observation-code-value-concept			.	code token code:CodeableConcept & value-concept token value(CodeableConcept):CodeableConcept
code-value-date	composite	Observation-code-value-date			.	code token code:CodeableConcept & value-date date value(DateTime):dateTime;value(Period):Period
code-value-quantity	composite	Observation-code-value-quantity			.	code token code:CodeableConcept & value-quantity quantity value(Quantity):Quantity;value(SampledData):SampledData
code-value-string	composite	Observation-code-value-string			.	code token code:CodeableConcept & value-string string value(String):string;value(CodeableConcept).text:string
component-code	token	Observation-component-code	component*.code:CodeableConcept
component-code-value-concept	composite	Observation-component-code-value-concept			component*	component-code token code:CodeableConcept & component-value-concept token value(CodeableConcept):CodeableConcept
component-code-value-quantity	composite	Observation-component-code-value-quantity			component*	component-code token code:CodeableConcept & component-value-quantity quantity value(Quantity):Quantity;value(SampledData):SampledData
component-code-value-string	composite	Observation-component-code-value-string			component*	component-code token code:CodeableConcept & component-value-string string value(String):string;value(CodeableConcept).text:string
component-data-absent-reason	token	Observation-component-data-absent-reason	component*.dataAbsentReason:CodeableConcept
component-value-concept	token	Observation-component-value-concept	component*.value(CodeableConcept):CodeableConcept
component-value-quantity	quantity	Observation-component-value-quantity	component*.value(Quantity):Quantity;component*.value(SampledData):SampledData
component-value-string	string	Observation-component-value-string	component*.value(String):string;component*.value(CodeableConcept).text:string
data-absent-reason	token	Observation-data-absent-reason	dataAbsentReason:CodeableConcept
date	date	Observation-date	effective(DateTime):dateTime;effective(Period):Period
device	reference	Observation-device	device:Reference	Device,DeviceMetric
encounter	reference	Observation-encounter	encounter:Reference	Encounter
identifier	token	Observation-identifier	identifier*:Identifier
patient	reference	Observation-patient	subject:Reference~Patient	Patient
performer	reference	Observation-performer	performer*:Reference	Organization,Patient,Practitioner,RelatedPerson
related	composite	Observation-related			related*	related-target reference target:Reference & related-type token type:code=http://hl7.org/fhir/observation-relationshiptypes
related-target	reference	Observation-related-target	related*.target:Reference	Observation,QuestionnaireResponse
related-type	token	Observation-related-type	related*.type:code=http://hl7.org/fhir/observation-relationshiptypes
specimen	reference	Observation-specimen	specimen:Reference	Specimen
status	token	Observation-status	status:code=http://hl7.org/fhir/observation-status
subject	reference	Observation-subject	subject:Reference	Device,Group,Location,Patient
value-concept	token	Observation-value-concept	value(CodeableConcept):CodeableConcept
value-date	date	Observation-value-date	value(DateTime):dateTime;value(Period):Period
value-quantity	quantity	Observation-value-quantity	value(Quantity):Quantity;value(SampledData):SampledData
value-string	string	Observation-value-string	value(String):string;value(CodeableConcept).text:string
# OperationDefinition
base	reference	OperationDefinition-base	base:Reference	OperationDefinition
code	token	OperationDefinition-code	code:code
date	date	OperationDefinition-date	date:dateTime
instance	token	OperationDefinition-instance	instance:boolean
kind	token	OperationDefinition-kind	kind:code=http://hl7.org/fhir/operation-kind
name	string	OperationDefinition-name	name:string
profile	reference	OperationDefinition-profile	parameter*.profile:Reference	StructureDefinition
publisher	string	OperationDefinition-publisher	publisher:string
status	token	OperationDefinition-status	status:code
system	token	OperationDefinition-system	system:boolean
type	token	OperationDefinition-type	type*:code=http://hl7.org/fhir/resource-types
url	uri	OperationDefinition-url	url:uri
version	token	OperationDefinition-version	version:string
# OperationOutcome
# Order
date	date	Order-date	date:dateTime
detail	reference	Order-detail	detail*:Reference	*
identifier	token	Order-identifier	identifier*:Identifier
patient	reference	Order-patient	subject:Reference~Patient	Patient
source	reference	Order-source	source:Reference	Organization,Practitioner
subject	reference	Order-subject	subject:Reference	Device,Group,Patient,Substance
target	reference	Order-target	target:Reference	Device,Organization,Practitioner
when	date	Order-when	when.schedule:Timing
when_code	token	Order-whencode	when.code:CodeableConcept
# OrderResponse
code	token	OrderResponse-code	orderStatus:code
date	date	OrderResponse-date	date:dateTime
fulfillment	reference	OrderResponse-fulfillment	fulfillment*:Reference	*
identifier	token	OrderResponse-identifier	identifier*:Identifier
request	reference	OrderResponse-request	request:Reference	Order
who	reference	OrderResponse-who	who:Reference	Device,Organization,Practitioner
# Organization
active	token	Organization-active	active:boolean
address	string	Organization-address	address*:Address
address-city	string	Organization-address-city	address*.city:string
address-country	string	Organization-address-country	address*.country:string
address-postalcode	string	Organization-address-postalcode	address*.postalCode:string
address-state	string	Organization-address-state	address*.state:string
address-use	token	Organization-address-use	address*.use:code=http://hl7.org/fhir/address-use
identifier	token	Organization-identifier	identifier*:Identifier
name	string	Organization-name	name:string
partof	reference	Organization-partof	partOf:Reference	Organization
phonetic	string	Organization-phonetic	name:string
type	token	Organization-type	type:CodeableConcept
# Parameters
# Patient
active	token	Patient-active	active:boolean
address	string	Patient-address	address*:Address
address-city	string	Patient-address-city	address*.city:string
address-country	string	Patient-address-country	address*.country:string
address-postalcode	string	Patient-address-postalcode	address*.postalCode:string
address-state	string	Patient-address-state	address*.state:string
address-use	token	Patient-address-use	address*.use:code=http://hl7.org/fhir/address-use
animal-breed	token	Patient-animal-breed	animal.breed:CodeableConcept
animal-species	token	Patient-animal-species	animal.species:CodeableConcept
birthdate	date	Patient-birthdate	birthDate:date
careprovider	reference	Patient-careprovider	careProvider*:Reference	Organization,Practitioner
deathdate	date	Patient-deathdate	deceased(DateTime):dateTime
deceased	token	Patient-deceased	deceased(Boolean|DateTime):present
email	token	Patient-email	telecom*[system=email]:ContactPoint
ethnicity	token	us-core-Patient-ethnicity	extension*[url=http://hl7.org/fhir/StructureDefinition/us-core-ethnicity].value(CodeableConcept):CodeableConcept;extension*[url=http://hl7.org/fhir/StructureDefinition/us-core-ethnicity].value(Coding):Coding;extension*[url=http://hl7.org/fhir/StructureDefinition/us-core-ethnicity].value(Code):code
family	string	Patient-family	name*.family:string
gender	token	Patient-gender	gender:code=http://hl7.org/fhir/administrative-gender
given	string	Patient-given	name*.given*:string
identifier	token	Patient-identifier	identifier*:Identifier
language	token	Patient-language	communication*.language:CodeableConcept
link	reference	Patient-link	link*.other:Reference	Patient
name	string	Patient-name	name*:HumanName
organization	reference	Patient-organization	managingOrganization:Reference	Organization
phone	token	Patient-phone	telecom*[system=phone]:ContactPoint
phonetic	string	Patient-phonetic	name*:HumanName
race	token	us-core-Patient-race	extension*[url=http://hl7.org/fhir/StructureDefinition/us-core-race].value(CodeableConcept):CodeableConcept;extension*[url=http://hl7.org/fhir/StructureDefinition/us-core-race].value(Coding):Coding;extension*[url=http://hl7.org/fhir/StructureDefinition/us-core-race].value(Code):code
telecom	token	Patient-telecom	telecom*:ContactPoint
# PaymentNotice
identifier	token	PaymentNotice-identifier	identifier*:Identifier
# PaymentReconciliation
identifier	token	PaymentReconciliation-identifier	identifier*:Identifier
# Person
address	string	Person-address	address*:Address
address-city	string	Person-address-city	address*.city:string
address-country	string	Person-address-country	address*.country:string
address-postalcode	string	Person-address-postalcode	address*.postalCode:string
address-state	string	Person-address-state	address*.state:string
address-use	token	Person-address-use	address*.use:code=http://hl7.org/fhir/address-use
birthdate	date	Person-birthdate	birthDate:date
email	token	Person-email	telecom*[system=email]:ContactPoint
gender	token	Person-gender	gender:code=http://hl7.org/fhir/administrative-gender
identifier	token	Person-identifier	identifier*:Identifier
link	reference	Person-link	link*.target:Reference	Patient,Person,Practitioner,RelatedPerson
name	string	Person-name	name*:HumanName
organization	reference	Person-organization	managingOrganization:Reference	Organization
patient	reference	Person-patient	link*.target:Reference~Patient	Patient
phone	token	Person-phone	telecom*[system=phone]:ContactPoint
phonetic	string	Person-phonetic	name*:HumanName
practitioner	reference	Person-practitioner	link*.target:Reference	Patient,Person,Practitioner,RelatedPerson
relatedperson	reference	Person-relatedperson	link*.target:Reference	Patient,Person,Practitioner,RelatedPerson
telecom	token	Person-telecom	telecom*:ContactPoint
# Practitioner
address	string	Practitioner-address	address*:Address
address-city	string	Practitioner-address-city	address*.city:string
address-country	string	Practitioner-address-country	address*.country:string
address-postalcode	string	Practitioner-address-postalcode	address*.postalCode:string
address-state	string	Practitioner-address-state	address*.state:string
address-use	token	Practitioner-address-use	address*.use:code=http://hl7.org/fhir/address-use
communication	token	Practitioner-communication	communication*:CodeableConcept
email	token	Practitioner-email	telecom*[system=email]:ContactPoint
family	string	Practitioner-family	name.family:string
gender	token	Practitioner-gender	gender:code=http://hl7.org/fhir/administrative-gender
given	string	Practitioner-given	name.given*:string
identifier	token	Practitioner-identifier	identifier*:Identifier
location	reference	Practitioner-location	practitionerRole*.location*:Reference	Location
name	string	Practitioner-name	name:HumanName
organization	reference	Practitioner-organization	practitionerRole*.managingOrganization:Reference	Organization
phone	token	Practitioner-phone	telecom*[system=phone]:ContactPoint
phonetic	string	Practitioner-phonetic	name:HumanName
role	token	Practitioner-role	practitionerRole*.role:CodeableConcept
specialty	token	Practitioner-specialty	practitionerRole*.specialty*:CodeableConcept
telecom	token	Practitioner-telecom	telecom*:ContactPoint
# Procedure
code	token	Procedure-code	code:CodeableConcept
date	date	Procedure-date	performed(DateTime):dateTime;performed(Period):Period
encounter	reference	Procedure-encounter	encounter:Reference	Encounter
identifier	token	Procedure-identifier	identifier*:Identifier
location	reference	Procedure-location	location:Reference	Location
patient	reference	Procedure-patient	subject:Reference~Patient	Patient
performer	reference	Procedure-performer	performer*.actor:Reference	Organization,Patient,Practitioner,RelatedPerson
subject	reference	Procedure-subject	subject:Reference	Group,Patient
# ProcedureRequest
encounter	reference	ProcedureRequest-encounter	encounter:Reference	Encounter
identifier	token	ProcedureRequest-identifier	identifier*:Identifier
orderer	reference	ProcedureRequest-orderer	orderer:Reference	Device,Patient,Practitioner,RelatedPerson
patient	reference	ProcedureRequest-patient	subject:Reference~Patient	Patient
performer	reference	ProcedureRequest-performer	performer:Reference	Organization,Patient,Practitioner,RelatedPerson
subject	reference	ProcedureRequest-subject	subject:Reference	Group,Patient
# ProcessRequest
action	token	ProcessRequest-action	action:code=http://hl7.org/fhir/actionlist
identifier	token	ProcessRequest-identifier	identifier*:Identifier
organization	reference	ProcessRequest-organization	organization:Reference	Organization
provider	reference	ProcessRequest-provider	provider:Reference	Practitioner
# ProcessResponse
identifier	token	ProcessResponse-identifier	identifier*:Identifier
organization	reference	ProcessResponse-organization	organization:Reference	Organization
request	reference	ProcessResponse-request	request:Reference	*
requestorganization	reference	ProcessResponse-requestorganization	requestOrganization:Reference	Organization
requestprovider	reference	ProcessResponse-requestprovider	requestProvider:Reference	Practitioner
# Provenance
agent	reference	Provenance-agent	agent*.actor:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
end	date	Provenance-end	period.end:dateTime
entity	uri	Provenance-entity	entity*.reference:uri
entitytype	token	Provenance-entitytype	entity*.type:Coding
location	reference	Provenance-location	location:Reference	Location
patient	reference	Provenance-patient	target*:Reference~Patient	Patient
sigtype	token	Provenance-sigtype	signature*.type*:Coding
start	date	Provenance-start	period.start:dateTime
target	reference	Provenance-target	target*:Reference	*
userid	token	Provenance-userid	agent*.userId:Identifier
# Questionnaire
code	token	Questionnaire-code	group.concept*:Coding
date	date	Questionnaire-date	date:dateTime
identifier	token	Questionnaire-identifier	identifier*:Identifier
publisher	string	Questionnaire-publisher	publisher:string
status	token	Questionnaire-status	status:code
title	string	Questionnaire-title	group.title:string
version	string	Questionnaire-version	version:string
# QuestionnaireResponse
author	reference	QuestionnaireResponse-author	author:Reference	Device,Patient,Practitioner,RelatedPerson
authored	date	QuestionnaireResponse-authored	authored:dateTime
encounter	reference	QuestionnaireResponse-encounter	encounter:Reference	Encounter
patient	reference	QuestionnaireResponse-patient	subject:Reference~Patient	Patient
questionnaire	reference	QuestionnaireResponse-questionnaire	questionnaire:Reference	Questionnaire
source	reference	QuestionnaireResponse-source	source:Reference	Patient,Practitioner,RelatedPerson
status	token	QuestionnaireResponse-status	status:code=http://hl7.org/fhir/questionnaire-answers-status
subject	reference	QuestionnaireResponse-subject	subject:Reference	*
# ReferralRequest
date	date	ReferralRequest-date	date:dateTime
patient	reference	ReferralRequest-patient	patient:Reference	Patient
priority	token	ReferralRequest-priority	priority:CodeableConcept
recipient	reference	ReferralRequest-recipient	recipient*:Reference	Organization,Practitioner
requester	reference	ReferralRequest-requester	requester:Reference	Organization,Patient,Practitioner
specialty	token	ReferralRequest-specialty	specialty:CodeableConcept
status	token	ReferralRequest-status	status:code
type	token	ReferralRequest-type	type:CodeableConcept
# RelatedPerson
address	string	RelatedPerson-address	address*:Address
address-city	string	RelatedPerson-address-city	address*.city:string
address-country	string	RelatedPerson-address-country	address*.country:string
address-postalcode	string	RelatedPerson-address-postalcode	address*.postalCode:string
address-state	string	RelatedPerson-address-state	address*.state:string
address-use	token	RelatedPerson-address-use	address*.use:code=http://hl7.org/fhir/address-use
birthdate	date	RelatedPerson-birthdate	birthDate:date
email	token	RelatedPerson-email	telecom*[system=email]:ContactPoint
gender	token	RelatedPerson-gender	gender:code=http://hl7.org/fhir/administrative-gender
identifier	token	RelatedPerson-identifier	identifier*:Identifier
name	string	RelatedPerson-name	name:HumanName
patient	reference	RelatedPerson-patient	patient:Reference	Patient
phone	token	RelatedPerson-phone	telecom*[system=phone]:ContactPoint
phonetic	string	RelatedPerson-phonetic	name:HumanName
telecom	token	RelatedPerson-telecom	telecom*:ContactPoint
# RiskAssessment
condition	reference	RiskAssessment-condition	condition:Reference	Condition
date	date	RiskAssessment-date	date:dateTime
encounter	reference	RiskAssessment-encounter	encounter:Reference	Encounter
identifier	token	RiskAssessment-identifier	identifier:Identifier
method	token	RiskAssessment-method	method:CodeableConcept
patient	reference	RiskAssessment-patient	subject:Reference~Patient	Patient
performer	reference	RiskAssessment-performer	performer:Reference	Device,Practitioner
subject	reference	RiskAssessment-subject	subject:Reference	Group,Patient
# Schedule
actor	reference	Schedule-actor	actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,RelatedPerson
date	date	Schedule-date	planningHorizon:Period
identifier	token	Schedule-identifier	identifier*:Identifier
type	token	Schedule-type	type*:CodeableConcept
# SearchParameter
base	token	SearchParameter-base	base:code=http://hl7.org/fhir/resource-types
code	token	SearchParameter-code	code:code
description	string	SearchParameter-description	description:string
name	string	SearchParameter-name	name:string
target	token	SearchParameter-target	target*:code=http://hl7.org/fhir/resource-types
type	token	SearchParameter-type	type:code=http://hl7.org/fhir/search-param-type
url	uri	SearchParameter-url	url:uri
# Slot
fb-type	token	Slot-fb-type	freeBusyType:code=http://hl7.org/fhir/slotstatus
identifier	token	Slot-identifier	identifier*:Identifier
schedule	reference	Slot-schedule	schedule:Reference	Schedule
slot-type	token	Slot-slot-type	type:CodeableConcept
start	date	Slot-start	start:instant
# Specimen
accession	token	Specimen-accession	accessionIdentifier:Identifier
bodysite	token	Specimen-bodysite	collection.bodySite:CodeableConcept
collected	date	Specimen-collected	collection.collected(DateTime):dateTime;collection.collected(Period):Period
collector	reference	Specimen-collector	collection.collector:Reference	Practitioner
container	token	Specimen-container	container*.type:CodeableConcept
container-id	token	Specimen-container-id	container*.identifier*:Identifier
identifier	token	Specimen-identifier	identifier*:Identifier
parent	reference	Specimen-parent	parent*:Reference	Specimen
patient	reference	Specimen-patient	subject:Reference~Patient	Patient
subject	reference	Specimen-subject	subject:Reference	Device,Group,Patient,Substance
type	token	Specimen-type	type:CodeableConcept
# StructureDefinition
abstract	token	StructureDefinition-abstract	abstract:boolean
base	uri	StructureDefinition-base	base:uri
base-path	token	StructureDefinition-base-path	snapshot.element*.base.path:string
code	token	StructureDefinition-code	code*:Coding
context	token	StructureDefinition-context	useContext*:CodeableConcept
context-type	token	StructureDefinition-context-type	contextType:code=http://hl7.org/fhir/extension-context
date	date	StructureDefinition-date	date:dateTime
description	string	StructureDefinition-description	description:string
display	string	StructureDefinition-display	display:string
experimental	token	StructureDefinition-experimental	experimental:boolean
ext-context	string	StructureDefinition-ext-context	context*:string
identifier	token	StructureDefinition-identifier	identifier*:Identifier
kind	token	StructureDefinition-kind	kind:code=http://hl7.org/fhir/structure-definition-kind
name	string	StructureDefinition-name	name:string
path	token	StructureDefinition-path	snapshot.element*.path:string
publisher	string	StructureDefinition-publisher	publisher:string
status	token	StructureDefinition-status	status:code
type	token	StructureDefinition-type	constrainedType:code=http://hl7.org/fhir/data-types,http://hl7.org/fhir/resource-types
url	uri	StructureDefinition-url	url:uri
valueset	reference	StructureDefinition-valueset	snapshot.element*.binding.valueSet(Uri):uri;snapshot.element*.binding.valueSet(Reference):Reference	ValueSet
version	token	StructureDefinition-version	version:string
# Subscription
contact	token	Subscription-contact	contact*:ContactPoint
criteria	string	Subscription-criteria	criteria:string
payload	string	Subscription-payload	channel.payload:string
status	token	Subscription-status	status:code=http://hl7.org/fhir/subscription-status
tag	token	Subscription-tag	tag*:Coding
type	token	Subscription-type	channel.type:code=http://hl7.org/fhir/subscription-channel-type
url	uri	Subscription-url	channel.endpoint:uri
# Substance
category	token	Substance-category	category*:CodeableConcept
code	token	Substance-code	code:CodeableConcept
container-identifier	token	Substance-container-identifier	instance*.identifier:Identifier
expiry	date	Substance-expiry	instance*.expiry:dateTime
identifier	token	Substance-identifier	identifier*:Identifier
quantity	quantity	Substance-quantity	instance*.quantity:Quantity
substance	reference	Substance-substance	ingredient*.substance:Reference	Substance
# SupplyDelivery
identifier	token	SupplyDelivery-identifier	identifier:Identifier
patient	reference	SupplyDelivery-patient	patient:Reference	Patient
receiver	reference	SupplyDelivery-receiver	receiver*:Reference	Practitioner
status	token	SupplyDelivery-status	status:code=http://hl7.org/fhir/supplydelivery-status
supplier	reference	SupplyDelivery-supplier	supplier:Reference	Practitioner
# SupplyRequest
date	date	SupplyRequest-date	date:dateTime
identifier	token	SupplyRequest-identifier	identifier:Identifier
kind	token	SupplyRequest-kind	kind:CodeableConcept
patient	reference	SupplyRequest-patient	patient:Reference	Patient
source	reference	SupplyRequest-source	source:Reference	Organization,Patient,Practitioner
status	token	SupplyRequest-status	status:code=http://hl7.org/fhir/supplyrequest-status
supplier	reference	SupplyRequest-supplier	supplier*:Reference	Organization
# TestScript
description	string	TestScript-description	description:string
identifier	token	TestScript-identifier	identifier:Identifier
name	string	TestScript-name	name:string
testscript-capability	string	TestScript-testscript-capability	metadata.capability*.description:string
testscript-setup-capability	string	TestScript-testscript-setup-capability	setup.metadata.capability*.description:string
testscript-test-capability	string	TestScript-testscript-test-capability	test*.metadata.capability*.description:string
url	uri	TestScript-url	url:uri
# ValueSet
code	token	ValueSet-code	codeSystem.concept*.code:code
context	token	ValueSet-context	useContext*:CodeableConcept
date	date	ValueSet-date	date:dateTime
description	string	ValueSet-description	description:string
expansion	uri	ValueSet-expansion	expansion.identifier:uri
identifier	token	ValueSet-identifier	identifier:Identifier
name	string	ValueSet-name	name:string
publisher	string	ValueSet-publisher	publisher:string
reference	uri	ValueSet-reference	compose.include*.system:uri
status	token	ValueSet-status	status:code
system	uri	ValueSet-system	codeSystem.system:uri
url	uri	ValueSet-url	url:uri
version	token	ValueSet-version	version:string
# VisionPrescription
datewritten	date	VisionPrescription-datewritten	dateWritten:dateTime
encounter	reference	VisionPrescription-encounter	encounter:Reference	Encounter
identifier	token	VisionPrescription-identifier	identifier*:Identifier
patient	reference	VisionPrescription-patient	patient:Reference	Patient
prescriber	reference	VisionPrescription-prescriber	prescriber:Reference	Practitioner`;
