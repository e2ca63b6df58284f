// Derived from the HL7 FHIR STU3 3.0.1 definitions (CC0-1.0) in fhir 3.3.1 (Apache-2.0).
// Made by scripts/derive-search-parameters.mjs; see read-search-parameter.ts for the format. Do not edit.

export const table = String.raw`# Resource
_content	string	Resource-content
_id	token	Resource-id	id:id
_lastUpdated	date	Resource-lastUpdated	meta.lastUpdated:instant
_profile	uri	Resource-profile	meta.profile*:uri
_query	token	Resource-query
_security	token	Resource-security	meta.security*:Coding
_tag	token	Resource-tag	meta.tag*:Coding
# DomainResource
_text	string	DomainResource-text
# Account
balance	quantity	Account-balance	balance:Money
identifier	token	Account-identifier	identifier*:Identifier
name	string	Account-name	name:string
owner	reference	Account-owner	owner:Reference	Organization
patient	reference	Account-patient	subject:Reference~Patient	Patient
period	date	Account-period	period:Period
status	token	Account-status	status:code=http://hl7.org/fhir/account-status
subject	reference	Account-subject	subject:Reference	Device,HealthcareService,Location,Organization,Patient,Practitioner
type	token	Account-type	type:CodeableConcept
# ActivityDefinition
composed-of	reference	ActivityDefinition-composed-of	relatedArtifact*[type=composed-of].resource:Reference	*
date	date	ActivityDefinition-date	date:dateTime
depends-on	reference	ActivityDefinition-depends-on	relatedArtifact*[type=depends-on].resource:Reference;library*:Reference	*
derived-from	reference	ActivityDefinition-derived-from	relatedArtifact*[type=derived-from].resource:Reference	*
description	string	ActivityDefinition-description	description:markdown
effective	date	ActivityDefinition-effective	effectivePeriod:Period
identifier	token	ActivityDefinition-identifier	identifier*:Identifier
jurisdiction	token	ActivityDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	ActivityDefinition-name	name:string
predecessor	reference	ActivityDefinition-predecessor	relatedArtifact*[type=predecessor].resource:Reference	*
publisher	string	ActivityDefinition-publisher	publisher:string
status	token	ActivityDefinition-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	ActivityDefinition-successor	relatedArtifact*[type=successor].resource:Reference	*
title	string	ActivityDefinition-title	title:string
topic	token	ActivityDefinition-topic	topic*:CodeableConcept
url	uri	ActivityDefinition-url	url:uri
version	token	ActivityDefinition-version	version:string
# AdverseEvent
category	token	AdverseEvent-category	category:code=http://hl7.org/fhir/adverse-event-category
date	date	AdverseEvent-date	date:dateTime
location	reference	AdverseEvent-location	location:Reference	Location
reaction	reference	AdverseEvent-reaction	reaction*:Reference	Condition
recorder	reference	AdverseEvent-recorder	recorder:Reference	Patient,Practitioner,RelatedPerson
seriousness	token	AdverseEvent-seriousness	seriousness:CodeableConcept
study	reference	AdverseEvent-study	study*:Reference	ResearchStudy
subject	reference	AdverseEvent-subject	subject:Reference	Device,Medication,Patient,ResearchSubject
substance	reference	AdverseEvent-substance	suspectEntity*.instance:Reference	Device,Medication,MedicationAdministration,MedicationStatement,Substance
type	token	AdverseEvent-type	type:CodeableConcept
# AllergyIntolerance
asserter	reference	AllergyIntolerance-asserter	asserter:Reference	Patient,Practitioner,RelatedPerson
category	token	AllergyIntolerance-category	category*:code=http://hl7.org/fhir/allergy-intolerance-category
clinical-status	token	AllergyIntolerance-clinical-status	clinicalStatus:code=http://hl7.org/fhir/allergy-clinical-status
code	token	clinical-code	code:CodeableConcept;reaction*.substance:CodeableConcept
criticality	token	AllergyIntolerance-criticality	criticality:code=http://hl7.org/fhir/allergy-intolerance-criticality
date	date	clinical-date	assertedDate:dateTime
identifier	token	clinical-identifier	identifier*:Identifier
last-date	date	AllergyIntolerance-last-date	lastOccurrence:dateTime
manifestation	token	AllergyIntolerance-manifestation	reaction*.manifestation*:CodeableConcept
onset	date	AllergyIntolerance-onset	reaction*.onset:dateTime
patient	reference	clinical-patient	patient:Reference	Patient
recorder	reference	AllergyIntolerance-recorder	recorder:Reference	Patient,Practitioner
route	token	AllergyIntolerance-route	reaction*.exposureRoute:CodeableConcept
severity	token	AllergyIntolerance-severity	reaction*.severity:code=http://hl7.org/fhir/reaction-event-severity
type	token	clinical-type	type:code=http://hl7.org/fhir/allergy-intolerance-type
verification-status	token	AllergyIntolerance-verification-status	verificationStatus:code=http://hl7.org/fhir/allergy-verification-status
# Appointment
actor	reference	Appointment-actor	participant*.actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,RelatedPerson
appointment-type	token	Appointment-appointment-type	appointmentType:CodeableConcept
date	date	Appointment-date	start:instant
identifier	token	Appointment-identifier	identifier*:Identifier
incomingreferral	reference	Appointment-incomingreferral	incomingReferral*:Reference	ReferralRequest
location	reference	Appointment-location	participant*.actor:Reference	Location
part-status	token	Appointment-part-status	participant*.status:code=http://hl7.org/fhir/participationstatus
patient	reference	Appointment-patient	participant*.actor:Reference~Patient	Patient
practitioner	reference	Appointment-practitioner	participant*.actor:Reference	Practitioner
service-type	token	Appointment-service-type	serviceType*:CodeableConcept
status	token	Appointment-status	status:code=http://hl7.org/fhir/appointmentstatus
# AppointmentResponse
actor	reference	AppointmentResponse-actor	actor:Reference	Device,HealthcareService,Location,Patient,Practitioner,RelatedPerson
appointment	reference	AppointmentResponse-appointment	appointment:Reference	Appointment
identifier	token	AppointmentResponse-identifier	identifier*:Identifier
location	reference	AppointmentResponse-location	actor:Reference	Location
part-status	token	AppointmentResponse-part-status	participantStatus:code=http://hl7.org/fhir/participationstatus
patient	reference	AppointmentResponse-patient	actor:Reference~Patient	Patient
practitioner	reference	AppointmentResponse-practitioner	actor:Reference	Practitioner
# AuditEvent
action	token	AuditEvent-action	action:code=http://hl7.org/fhir/audit-event-action
address	string	AuditEvent-address	agent*.network.address:string
agent	reference	AuditEvent-agent	agent*.reference:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
agent-name	string	AuditEvent-agent-name	agent*.name:string
agent-role	token	AuditEvent-agent-role	agent*.role*:CodeableConcept
altid	token	AuditEvent-altid	agent*.altId:string
date	date	AuditEvent-date	recorded:instant
entity	reference	AuditEvent-entity	entity*.reference:Reference	*
entity-id	token	AuditEvent-entity-id	entity*.identifier:Identifier
entity-name	string	AuditEvent-entity-name	entity*.name:string
entity-role	token	AuditEvent-entity-role	entity*.role:Coding
entity-type	token	AuditEvent-entity-type	entity*.type:Coding
outcome	token	AuditEvent-outcome	outcome:code=http://hl7.org/fhir/audit-event-outcome
patient	reference	AuditEvent-patient	agent*.reference:Reference~Patient;entity*.reference:Reference~Patient	Patient
policy	uri	AuditEvent-policy	agent*.policy*:uri
site	token	AuditEvent-site	source.site:string
source	token	AuditEvent-source	source.identifier:Identifier
subtype	token	AuditEvent-subtype	subtype*:Coding
type	token	AuditEvent-type	type:Coding
user	token	AuditEvent-user	agent*.userId:Identifier
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
composition	reference	Bundle-composition	entry*[0].resource:Resource	Composition
identifier	token	Bundle-identifier	identifier:Identifier
message	reference	Bundle-message	entry*[0].resource:Resource	MessageHeader
type	token	Bundle-type	type:code=http://hl7.org/fhir/bundle-type
# CapabilityStatement
date	date	CapabilityStatement-date	date:dateTime
description	string	CapabilityStatement-description	description:markdown
event	token	CapabilityStatement-event	messaging*.event*.code:Coding
fhirversion	token	CapabilityStatement-fhirversion	version:string
format	token	CapabilityStatement-format	format*:code
guide	uri	CapabilityStatement-guide	implementationGuide*:uri
jurisdiction	token	CapabilityStatement-jurisdiction	jurisdiction*:CodeableConcept
mode	token	CapabilityStatement-mode	rest*.mode:code=http://hl7.org/fhir/restful-capability-mode
name	string	CapabilityStatement-name	name:string
publisher	string	CapabilityStatement-publisher	publisher:string
resource	token	CapabilityStatement-resource	rest*.resource*.type:code=http://hl7.org/fhir/resource-types
resource-profile	reference	CapabilityStatement-resource-profile	rest*.resource*.profile:Reference	StructureDefinition
security-service	token	CapabilityStatement-security-service	rest*.security.service*:CodeableConcept
software	string	CapabilityStatement-software	software.name:string
status	token	CapabilityStatement-status	status:code=http://hl7.org/fhir/publication-status
supported-profile	reference	CapabilityStatement-supported-profile	profile*:Reference	StructureDefinition
title	string	CapabilityStatement-title	title:string
url	uri	CapabilityStatement-url	url:uri
version	token	CapabilityStatement-version	version:string
# CarePlan
activity-code	token	CarePlan-activity-code	activity*.detail.code:CodeableConcept
activity-date	date	CarePlan-activity-date	activity*.detail.scheduled(Timing):Timing;activity*.detail.scheduled(Period):Period
activity-reference	reference	CarePlan-activity-reference	activity*.reference:Reference	Appointment,CommunicationRequest,DeviceRequest,MedicationRequest,NutritionOrder,ProcedureRequest,ReferralRequest,RequestGroup,Task,VisionPrescription
based-on	reference	CarePlan-based-on	basedOn*:Reference	CarePlan
care-team	reference	CarePlan-care-team	careTeam*:Reference	CareTeam
category	token	CarePlan-category	category*:CodeableConcept
condition	reference	CarePlan-condition	addresses*:Reference	Condition
context	reference	CarePlan-context	context:Reference	Encounter,EpisodeOfCare
date	date	clinical-date	period:Period
definition	reference	CarePlan-definition	definition*:Reference	PlanDefinition,Questionnaire
encounter	reference	CarePlan-encounter	context:Reference	Encounter
goal	reference	CarePlan-goal	goal*:Reference	Goal
identifier	token	clinical-identifier	identifier*:Identifier
intent	token	CarePlan-intent	intent:code=http://hl7.org/fhir/care-plan-intent
part-of	reference	CarePlan-part-of	partOf*:Reference	CarePlan
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	CarePlan-performer	activity*.detail.performer*:Reference	CareTeam,Organization,Patient,Practitioner,RelatedPerson
replaces	reference	CarePlan-replaces	replaces*:Reference	CarePlan
status	token	CarePlan-status	status:code=http://hl7.org/fhir/care-plan-status
subject	reference	CarePlan-subject	subject:Reference	Group,Patient
# CareTeam
category	token	CareTeam-category	category*:CodeableConcept
context	reference	CareTeam-context	context:Reference	Encounter,EpisodeOfCare
date	date	clinical-date	period:Period
encounter	reference	CareTeam-encounter	context:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
participant	reference	CareTeam-participant	participant*.member:Reference	CareTeam,Organization,Patient,Practitioner,RelatedPerson
patient	reference	clinical-patient	subject:Reference~Patient	Patient
status	token	CareTeam-status	status:code=http://hl7.org/fhir/care-team-status
subject	reference	CareTeam-subject	subject:Reference	Group,Patient
# ChargeItem
account	reference	ChargeItem-account	account*:Reference	Account
code	token	ChargeItem-code	code:CodeableConcept
context	reference	ChargeItem-context	context:Reference	Encounter,EpisodeOfCare
entered-date	date	ChargeItem-entered-date	enteredDate:dateTime
enterer	reference	ChargeItem-enterer	enterer:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
factor-override	number	ChargeItem-factor-override	factorOverride:decimal
identifier	token	ChargeItem-identifier	identifier:Identifier
occurrence	date	ChargeItem-occurrence	occurrence(DateTime):dateTime;occurrence(Period):Period;occurrence(Timing):Timing
participant-actor	reference	ChargeItem-participant-actor	participant*.actor:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
participant-role	token	ChargeItem-participant-role	participant*.role:CodeableConcept
patient	reference	ChargeItem-patient	subject:Reference~Patient	Patient
performing-organization	reference	ChargeItem-performing-organization	performingOrganization:Reference	Organization
price-override	quantity	ChargeItem-price-override	priceOverride:Money
quantity	quantity	ChargeItem-quantity	quantity:Quantity
requesting-organization	reference	ChargeItem-requesting-organization	requestingOrganization:Reference	Organization
service	reference	ChargeItem-service	service*:Reference	DiagnosticReport,ImagingStudy,Immunization,MedicationAdministration,MedicationDispense,Observation,Procedure,SupplyDelivery
subject	reference	ChargeItem-subject	subject:Reference	Group,Patient
# Claim
care-team	reference	Claim-care-team	careTeam*.provider:Reference	Organization,Practitioner
created	date	Claim-created	created:dateTime
encounter	reference	Claim-encounter	item*.encounter*:Reference	Encounter
enterer	reference	Claim-enterer	enterer:Reference	Practitioner
facility	reference	Claim-facility	facility:Reference	Location
identifier	token	Claim-identifier	identifier*:Identifier
insurer	reference	Claim-insurer	insurer:Reference	Organization
organization	reference	Claim-organization	organization:Reference	Organization
patient	reference	Claim-patient	patient:Reference	Patient
payee	reference	Claim-payee	payee.party:Reference	Organization,Patient,Practitioner,RelatedPerson
priority	token	Claim-priority	priority:CodeableConcept
provider	reference	Claim-provider	provider:Reference	Practitioner
use	token	Claim-use	use:code=http://hl7.org/fhir/claim-use
# ClaimResponse
created	date	ClaimResponse-created	created:dateTime
disposition	string	ClaimResponse-disposition	disposition:string
identifier	token	ClaimResponse-identifier	identifier*:Identifier
insurer	reference	ClaimResponse-insurer	insurer:Reference	Organization
outcome	token	ClaimResponse-outcome	outcome:CodeableConcept
patient	reference	ClaimResponse-patient	patient:Reference	Patient
payment-date	date	ClaimResponse-payment-date	payment.date:date
request	reference	ClaimResponse-request	request:Reference	Claim
request-provider	reference	ClaimResponse-request-provider	requestProvider:Reference	Practitioner
# ClinicalImpression
action	reference	ClinicalImpression-action	action*:Reference	Appointment,MedicationRequest,Procedure,ProcedureRequest,ReferralRequest
assessor	reference	ClinicalImpression-assessor	assessor:Reference	Practitioner
context	reference	ClinicalImpression-context	context:Reference	Encounter,EpisodeOfCare
date	date	clinical-date	date:dateTime
finding-code	token	ClinicalImpression-finding-code	finding*.item(CodeableConcept):CodeableConcept
finding-ref	reference	ClinicalImpression-finding-ref	finding*.item(Reference):Reference	Condition,Observation
identifier	token	ClinicalImpression-identifier	identifier*:Identifier
investigation	reference	ClinicalImpression-investigation	investigation*.item*:Reference	DiagnosticReport,FamilyMemberHistory,ImagingStudy,Observation,QuestionnaireResponse,RiskAssessment
patient	reference	clinical-patient	subject:Reference~Patient	Patient
previous	reference	ClinicalImpression-previous	previous:Reference	ClinicalImpression
problem	reference	ClinicalImpression-problem	problem*:Reference	AllergyIntolerance,Condition
status	token	ClinicalImpression-status	status:code=http://hl7.org/fhir/clinical-impression-status
subject	reference	ClinicalImpression-subject	subject:Reference	Group,Patient
# CodeSystem
code	token	CodeSystem-code	concept*.code:code
content-mode	token	CodeSystem-content-mode	content:code=http://hl7.org/fhir/codesystem-content-mode
date	date	CodeSystem-date	date:dateTime
description	string	CodeSystem-description	description:markdown
identifier	token	CodeSystem-identifier	identifier:Identifier
jurisdiction	token	CodeSystem-jurisdiction	jurisdiction*:CodeableConcept
language	token	CodeSystem-language	concept*.designation*.language:code=urn:ietf:bcp:47
name	string	CodeSystem-name	name:string
publisher	string	CodeSystem-publisher	publisher:string
status	token	CodeSystem-status	status:code=http://hl7.org/fhir/publication-status
system	uri	CodeSystem-system	url:uri
title	string	CodeSystem-title	title:string
url	uri	CodeSystem-url	url:uri
version	token	CodeSystem-version	version:string
# Communication
based-on	reference	Communication-based-on	basedOn*:Reference	*
category	token	Communication-category	category*:CodeableConcept
context	reference	Communication-context	context:Reference	Encounter,EpisodeOfCare
definition	reference	Communication-definition	definition*:Reference	ActivityDefinition,PlanDefinition
encounter	reference	Communication-encounter	context:Reference	Encounter
identifier	token	Communication-identifier	identifier*:Identifier
medium	token	Communication-medium	medium*:CodeableConcept
part-of	reference	Communication-part-of	partOf*:Reference	*
patient	reference	Communication-patient	subject:Reference~Patient	Patient
received	date	Communication-received	received:dateTime
recipient	reference	Communication-recipient	recipient*:Reference	Device,Group,Organization,Patient,Practitioner,RelatedPerson
sender	reference	Communication-sender	sender:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
sent	date	Communication-sent	sent:dateTime
status	token	Communication-status	status:code=http://hl7.org/fhir/event-status
subject	reference	Communication-subject	subject:Reference	Group,Patient
# CommunicationRequest
authored	date	CommunicationRequest-authored	authoredOn:dateTime
based-on	reference	CommunicationRequest-based-on	basedOn*:Reference	*
category	token	CommunicationRequest-category	category*:CodeableConcept
context	reference	CommunicationRequest-context	context:Reference	Encounter,EpisodeOfCare
encounter	reference	CommunicationRequest-encounter	context:Reference	Encounter
group-identifier	token	CommunicationRequest-group-identifier	groupIdentifier:Identifier
identifier	token	CommunicationRequest-identifier	identifier*:Identifier
medium	token	CommunicationRequest-medium	medium*:CodeableConcept
occurrence	date	CommunicationRequest-occurrence	occurrence(DateTime):dateTime
patient	reference	CommunicationRequest-patient	subject:Reference~Patient	Patient
priority	token	CommunicationRequest-priority	priority:code=http://hl7.org/fhir/request-priority
recipient	reference	CommunicationRequest-recipient	recipient*:Reference	CareTeam,Device,Group,Organization,Patient,Practitioner,RelatedPerson
replaces	reference	CommunicationRequest-replaces	replaces*:Reference	CommunicationRequest
requester	reference	CommunicationRequest-requester	requester.agent:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
sender	reference	CommunicationRequest-sender	sender:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
status	token	CommunicationRequest-status	status:code=http://hl7.org/fhir/request-status
subject	reference	CommunicationRequest-subject	subject:Reference	Group,Patient
# CompartmentDefinition
code	token	CompartmentDefinition-code	code:code=http://hl7.org/fhir/compartment-type
date	date	CompartmentDefinition-date	date:dateTime
description	string	CompartmentDefinition-description	description:markdown
jurisdiction	token	CompartmentDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	CompartmentDefinition-name	name:string
publisher	string	CompartmentDefinition-publisher	publisher:string
resource	token	CompartmentDefinition-resource	resource*.code:code=http://hl7.org/fhir/resource-types
status	token	CompartmentDefinition-status	status:code=http://hl7.org/fhir/publication-status
title	string	CompartmentDefinition-title	title:string
url	uri	CompartmentDefinition-url	url:uri
# Composition
attester	reference	Composition-attester	attester*.party:Reference	Organization,Patient,Practitioner
author	reference	Composition-author	author*:Reference	Device,Patient,Practitioner,RelatedPerson
class	token	Composition-class	class:CodeableConcept
confidentiality	token	Composition-confidentiality	confidentiality:code=http://hl7.org/fhir/v3/Confidentiality
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
date	date	ConceptMap-date	date:dateTime
dependson	uri	ConceptMap-dependson	group*.element*.target*.dependsOn*.property:uri
description	string	ConceptMap-description	description:markdown
identifier	token	ConceptMap-identifier	identifier:Identifier
jurisdiction	token	ConceptMap-jurisdiction	jurisdiction*:CodeableConcept
name	string	ConceptMap-name	name:string
other	uri	ConceptMap-other	group*.unmapped.url:uri
product	uri	ConceptMap-product	group*.element*.target*.product*.property:uri
publisher	string	ConceptMap-publisher	publisher:string
source	reference	ConceptMap-source	source(Reference):Reference	ValueSet
source-code	token	ConceptMap-source-code	group*.element*.code:code
source-system	uri	ConceptMap-source-system	group*.source:uri
source-uri	reference	ConceptMap-source-uri	source(Uri):uri	ValueSet
status	token	ConceptMap-status	status:code=http://hl7.org/fhir/publication-status
target	reference	ConceptMap-target	target(Reference):Reference	ValueSet
target-code	token	ConceptMap-target-code	group*.element*.target*.code:code
target-system	uri	ConceptMap-target-system	group*.target:uri
target-uri	reference	ConceptMap-target-uri	target(Uri):uri	ValueSet
title	string	ConceptMap-title	title:string
url	uri	ConceptMap-url	url:uri
version	token	ConceptMap-version	version:string
# Condition
abatement-age	quantity	Condition-abatement-age	abatement(Age):Age;abatement(Range):Range
abatement-boolean	token	Condition-abatement-boolean	abatement(DateTime|Age|Boolean|Period|Range|String):present
abatement-date	date	Condition-abatement-date	abatement(DateTime):dateTime;abatement(Period):Period
abatement-string	string	Condition-abatement-string	abatement(String):string
asserted-date	date	Condition-asserted-date	assertedDate:dateTime
asserter	reference	Condition-asserter	asserter:Reference	Patient,Practitioner,RelatedPerson
body-site	token	Condition-body-site	bodySite*:CodeableConcept
category	token	Condition-category	category*:CodeableConcept
clinical-status	token	Condition-clinical-status	clinicalStatus:code=http://hl7.org/fhir/condition-clinical
code	token	clinical-code	code:CodeableConcept
context	reference	Condition-context	context:Reference	Encounter,EpisodeOfCare
encounter	reference	Condition-encounter	context:Reference	Encounter
evidence	token	Condition-evidence	evidence*.code*:CodeableConcept
evidence-detail	reference	Condition-evidence-detail	evidence*.detail*:Reference	*
identifier	token	clinical-identifier	identifier*:Identifier
onset-age	quantity	Condition-onset-age	onset(Age):Age;onset(Range):Range
onset-date	date	Condition-onset-date	onset(DateTime):dateTime;onset(Period):Period
onset-info	string	Condition-onset-info	onset(String):string
patient	reference	clinical-patient	subject:Reference~Patient	Patient
severity	token	Condition-severity	severity:CodeableConcept
stage	token	Condition-stage	stage.summary:CodeableConcept
subject	reference	Condition-subject	subject:Reference	Group,Patient
verification-status	token	Condition-verification-status	verificationStatus:code=http://hl7.org/fhir/condition-ver-status
# Consent
action	token	Consent-action	action*:CodeableConcept;except*.action*:CodeableConcept
actor	reference	Consent-actor	actor*.reference:Reference;except*.actor*.reference:Reference	CareTeam,Device,Group,Organization,Patient,Practitioner,RelatedPerson
category	token	Consent-category	category*:CodeableConcept
consentor	reference	Consent-consentor	consentingParty*:Reference	Organization,Patient,Practitioner,RelatedPerson
data	reference	Consent-data	data*.reference:Reference;except*.data*.reference:Reference	*
date	date	clinical-date	dateTime:dateTime
identifier	token	clinical-identifier	identifier:Identifier
organization	reference	Consent-organization	organization*:Reference	Organization
patient	reference	clinical-patient	patient:Reference	Patient
period	date	Consent-period	period:Period
purpose	token	Consent-purpose	purpose*:Coding;except*.purpose*:Coding
securitylabel	token	Consent-securitylabel	securityLabel*:Coding;except*.securityLabel*:Coding
source	reference	Consent-source	source(Reference):Reference	Consent,Contract,DocumentReference,QuestionnaireResponse
status	token	Consent-status	status:code=http://hl7.org/fhir/consent-state-codes
# Contract
agent	reference	Contract-agent	agent*.actor:Reference	Contract,Device,Group,Location,Organization,Patient,Practitioner,RelatedPerson,Substance
authority	reference	Contract-authority	authority*:Reference	Organization
domain	reference	Contract-domain	domain*:Reference	Location
identifier	token	Contract-identifier	identifier:Identifier
issued	date	Contract-issued	issued:dateTime
patient	reference	Contract-patient	subject*:Reference~Patient	Patient
signer	reference	Contract-signer	signer*.party:Reference	Organization,Patient,Practitioner,RelatedPerson
subject	reference	Contract-subject	subject*:Reference	*
term-topic	reference	Contract-term-topic	term*.topic*:Reference	*
# Coverage
beneficiary	reference	Coverage-beneficiary	beneficiary:Reference	Patient
class	string	Coverage-class	grouping.class:string
dependent	string	Coverage-dependent	dependent:string
group	string	Coverage-group	grouping.group:string
identifier	token	Coverage-identifier	identifier*:Identifier
payor	reference	Coverage-payor	payor*:Reference	Organization,Patient,RelatedPerson
plan	string	Coverage-plan	grouping.plan:string
policy-holder	reference	Coverage-policy-holder	policyHolder:Reference	Organization,Patient,RelatedPerson
sequence	string	Coverage-sequence	sequence:string
subclass	string	Coverage-subclass	grouping.subClass:string
subgroup	string	Coverage-subgroup	grouping.subGroup:string
subplan	string	Coverage-subplan	grouping.subPlan:string
subscriber	reference	Coverage-subscriber	subscriber:Reference	Patient,RelatedPerson
type	token	Coverage-type	type:CodeableConcept
# DataElement
code	token	DataElement-code	element*.code*:Coding
date	date	DataElement-date	date:dateTime
description	string	DataElement-description	element*.definition:markdown
identifier	token	DataElement-identifier	identifier*:Identifier
jurisdiction	token	DataElement-jurisdiction	jurisdiction*:CodeableConcept
name	string	DataElement-name	name:string
objectClass	token	elementdefinition-11179-DataElement-objectClass	element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClass].value(CodeableConcept):CodeableConcept;element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClass].value(Coding):Coding;element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClass].value(Code):code
objectClassProperty	token	elementdefinition-11179-DataElement-objectClassProperty	element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClassProperty].value(CodeableConcept):CodeableConcept;element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClassProperty].value(Coding):Coding;element*.mapping*.extension*[url=http://hl7.org/fhir/StructureDefinition/11179-objectClassProperty].value(Code):code
publisher	string	DataElement-publisher	publisher:string
status	token	DataElement-status	status:code=http://hl7.org/fhir/publication-status
stringency	token	DataElement-stringency	stringency:code=http://hl7.org/fhir/dataelement-stringency
title	string	DataElement-title	title:string
url	uri	DataElement-url	url:uri
version	token	DataElement-version	version:string
# DetectedIssue
author	reference	DetectedIssue-author	author:Reference	Device,Practitioner
category	token	DetectedIssue-category	category:CodeableConcept
date	date	clinical-date	date:dateTime
identifier	token	clinical-identifier	identifier:Identifier
implicated	reference	DetectedIssue-implicated	implicated*:Reference	*
patient	reference	clinical-patient	patient:Reference	Patient
# Device
device-name	string	Device-device-name	udi.name:string;type.text:string;type.coding*.display:string
identifier	token	Device-identifier	identifier*:Identifier
location	reference	Device-location	location:Reference	Location
manufacturer	string	Device-manufacturer	manufacturer:string
model	string	Device-model	model:string
organization	reference	Device-organization	owner:Reference	Organization
patient	reference	Device-patient	patient:Reference	Patient
status	token	Device-status	status:code=http://hl7.org/fhir/device-status
type	token	Device-type	type:CodeableConcept
udi-carrier	string	Device-udi-carrier	udi.carrierHRF:string
udi-di	string	Device-udi-di	udi.deviceIdentifier:string
url	uri	Device-url	url:uri
# DeviceComponent
identifier	token	DeviceComponent-identifier	identifier:Identifier
parent	reference	DeviceComponent-parent	parent:Reference	DeviceComponent
source	reference	DeviceComponent-source	source:Reference	Device
type	token	DeviceComponent-type	type:CodeableConcept
# DeviceMetric
category	token	DeviceMetric-category	category:code=http://hl7.org/fhir/metric-category
identifier	token	DeviceMetric-identifier	identifier:Identifier
parent	reference	DeviceMetric-parent	parent:Reference	DeviceComponent
source	reference	DeviceMetric-source	source:Reference	Device
type	token	DeviceMetric-type	type:CodeableConcept
# DeviceRequest
authored-on	date	DeviceRequest-authored-on	authoredOn:dateTime
based-on	reference	DeviceRequest-based-on	basedOn*:Reference	*
code	token	clinical-code	code(CodeableConcept):CodeableConcept
definition	reference	DeviceRequest-definition	definition*:Reference	ActivityDefinition,PlanDefinition
device	reference	DeviceRequest-device	code(Reference):Reference	Device
encounter	reference	clinical-encounter	context:Reference	Encounter,EpisodeOfCare
event-date	date	DeviceRequest-event-date	occurrence(DateTime):dateTime;occurrence(Period):Period
group-identifier	token	DeviceRequest-group-identifier	groupIdentifier:Identifier
identifier	token	clinical-identifier	identifier*:Identifier
intent	token	DeviceRequest-intent	intent:CodeableConcept
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	DeviceRequest-performer	performer:Reference	Device,HealthcareService,Organization,Patient,Practitioner,RelatedPerson
priorrequest	reference	DeviceRequest-priorrequest	priorRequest*:Reference	*
requester	reference	DeviceRequest-requester	requester.agent:Reference	Device,Organization,Practitioner
status	token	DeviceRequest-status	status:code=http://hl7.org/fhir/request-status
subject	reference	DeviceRequest-subject	subject:Reference	Device,Group,Location,Patient
# DeviceUseStatement
device	reference	DeviceUseStatement-device	device:Reference	Device
identifier	token	DeviceUseStatement-identifier	identifier*:Identifier
patient	reference	clinical-patient	subject:Reference~Patient	Patient
subject	reference	DeviceUseStatement-subject	subject:Reference	Group,Patient
# DiagnosticReport
based-on	reference	DiagnosticReport-based-on	basedOn*:Reference	CarePlan,ImmunizationRecommendation,MedicationRequest,NutritionOrder,ProcedureRequest,ReferralRequest
category	token	DiagnosticReport-category	category:CodeableConcept
code	token	clinical-code	code:CodeableConcept
context	reference	DiagnosticReport-context	context:Reference	Encounter,EpisodeOfCare
date	date	clinical-date	effective(DateTime):dateTime;effective(Period):Period
diagnosis	token	DiagnosticReport-diagnosis	codedDiagnosis*:CodeableConcept
encounter	reference	clinical-encounter	context:Reference	Encounter,EpisodeOfCare
identifier	token	clinical-identifier	identifier*:Identifier
image	reference	DiagnosticReport-image	image*.link:Reference	Media
issued	date	DiagnosticReport-issued	issued:instant
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	DiagnosticReport-performer	performer*.actor:Reference	Organization,Practitioner
result	reference	DiagnosticReport-result	result*:Reference	Observation
specimen	reference	DiagnosticReport-specimen	specimen*:Reference	Specimen
status	token	DiagnosticReport-status	status:code=http://hl7.org/fhir/diagnostic-report-status
subject	reference	DiagnosticReport-subject	subject:Reference	Device,Group,Location,Patient
# DocumentManifest
author	reference	DocumentManifest-author	author*:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
content-ref	reference	DocumentManifest-content-ref	content*.p(Reference):Reference	*
created	date	DocumentManifest-created	created:dateTime
description	string	DocumentManifest-description	description:string
identifier	token	clinical-identifier	masterIdentifier:Identifier;identifier*:Identifier
patient	reference	clinical-patient	subject:Reference~Patient	Patient
recipient	reference	DocumentManifest-recipient	recipient*:Reference	Organization,Patient,Practitioner,RelatedPerson
related-id	token	DocumentManifest-related-id	related*.identifier:Identifier
related-ref	reference	DocumentManifest-related-ref	related*.ref:Reference	*
source	uri	DocumentManifest-source	source:uri
status	token	DocumentManifest-status	status:code=http://hl7.org/fhir/document-reference-status
subject	reference	DocumentManifest-subject	subject:Reference	Device,Group,Patient,Practitioner
type	token	clinical-type	type:CodeableConcept
# DocumentReference
authenticator	reference	DocumentReference-authenticator	authenticator:Reference	Organization,Practitioner
author	reference	DocumentReference-author	author*:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
class	token	DocumentReference-class	class:CodeableConcept
created	date	DocumentReference-created	created:dateTime
custodian	reference	DocumentReference-custodian	custodian:Reference	Organization
description	string	DocumentReference-description	description:string
encounter	reference	clinical-encounter	context.encounter:Reference	Encounter
event	token	DocumentReference-event	context.event*:CodeableConcept
facility	token	DocumentReference-facility	context.facilityType:CodeableConcept
format	token	DocumentReference-format	content*.format:Coding
identifier	token	clinical-identifier	masterIdentifier:Identifier;identifier*:Identifier
indexed	date	DocumentReference-indexed	indexed:instant
language	token	DocumentReference-language	content*.attachment.language:code=urn:ietf:bcp:47
location	uri	DocumentReference-location	content*.attachment.url:uri
patient	reference	clinical-patient	subject:Reference~Patient	Patient
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
type	token	clinical-type	type:CodeableConcept
# EligibilityRequest
created	date	EligibilityRequest-created	created:dateTime
enterer	reference	EligibilityRequest-enterer	enterer:Reference	Practitioner
facility	reference	EligibilityRequest-facility	facility:Reference	Location
identifier	token	EligibilityRequest-identifier	identifier*:Identifier
organization	reference	EligibilityRequest-organization	organization:Reference	Organization
patient	reference	EligibilityRequest-patient	patient:Reference	Patient
provider	reference	EligibilityRequest-provider	provider:Reference	Practitioner
# EligibilityResponse
created	date	EligibilityResponse-created	created:dateTime
disposition	string	EligibilityResponse-disposition	disposition:string
identifier	token	EligibilityResponse-identifier	identifier*:Identifier
insurer	reference	EligibilityResponse-insurer	insurer:Reference	Organization
outcome	token	EligibilityResponse-outcome	outcome:CodeableConcept
request	reference	EligibilityResponse-request	request:Reference	EligibilityRequest
request-organization	reference	EligibilityResponse-request-organization	requestOrganization:Reference	Organization
request-provider	reference	EligibilityResponse-request-provider	requestProvider:Reference	Practitioner
# Encounter
appointment	reference	Encounter-appointment	appointment:Reference	Appointment
class	token	Encounter-class	class:Coding
date	date	clinical-date	period:Period
diagnosis	reference	Encounter-diagnosis	diagnosis*.condition:Reference	Condition,Procedure
episodeofcare	reference	Encounter-episodeofcare	episodeOfCare*:Reference	EpisodeOfCare
identifier	token	clinical-identifier	identifier*:Identifier
incomingreferral	reference	Encounter-incomingreferral	incomingReferral*:Reference	ReferralRequest
length	number	Encounter-length	length:Duration
location	reference	Encounter-location	location*.location:Reference	Location
location-period	date	Encounter-location-period	location*.period:Period
part-of	reference	Encounter-part-of	partOf:Reference	Encounter
participant	reference	Encounter-participant	participant*.individual:Reference	Practitioner,RelatedPerson
participant-type	token	Encounter-participant-type	participant*.type*:CodeableConcept
patient	reference	clinical-patient	subject:Reference~Patient	Patient
practitioner	reference	Encounter-practitioner	participant*.individual:Reference	Practitioner
reason	token	Encounter-reason	reason*:CodeableConcept
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
organization	reference	EnrollmentRequest-organization	organization:Reference	Organization
patient	reference	EnrollmentRequest-patient	subject:Reference	Patient
subject	reference	EnrollmentRequest-subject	subject:Reference	Patient
# EnrollmentResponse
identifier	token	EnrollmentResponse-identifier	identifier*:Identifier
organization	reference	EnrollmentResponse-organization	organization:Reference	Organization
request	reference	EnrollmentResponse-request	request:Reference	EnrollmentRequest
# EpisodeOfCare
care-manager	reference	EpisodeOfCare-care-manager	careManager:Reference	Practitioner
condition	reference	EpisodeOfCare-condition	diagnosis*.condition:Reference	Condition
date	date	clinical-date	period:Period
identifier	token	clinical-identifier	identifier*:Identifier
incomingreferral	reference	EpisodeOfCare-incomingreferral	referralRequest*:Reference	ReferralRequest
organization	reference	EpisodeOfCare-organization	managingOrganization:Reference	Organization
patient	reference	clinical-patient	patient:Reference	Patient
status	token	EpisodeOfCare-status	status:code=http://hl7.org/fhir/episode-of-care-status
type	token	clinical-type	type*:CodeableConcept
# ExpansionProfile
date	date	ExpansionProfile-date	date:dateTime
description	string	ExpansionProfile-description	description:markdown
identifier	token	ExpansionProfile-identifier	identifier:Identifier
jurisdiction	token	ExpansionProfile-jurisdiction	jurisdiction*:CodeableConcept
name	string	ExpansionProfile-name	name:string
publisher	string	ExpansionProfile-publisher	publisher:string
status	token	ExpansionProfile-status	status:code=http://hl7.org/fhir/publication-status
url	uri	ExpansionProfile-url	url:uri
version	token	ExpansionProfile-version	version:string
# ExplanationOfBenefit
care-team	reference	ExplanationOfBenefit-care-team	careTeam*.provider:Reference	Organization,Practitioner
claim	reference	ExplanationOfBenefit-claim	claim:Reference	Claim
coverage	reference	ExplanationOfBenefit-coverage	insurance.coverage:Reference	Coverage
created	date	ExplanationOfBenefit-created	created:dateTime
disposition	string	ExplanationOfBenefit-disposition	disposition:string
encounter	reference	ExplanationOfBenefit-encounter	item*.encounter*:Reference	Encounter
enterer	reference	ExplanationOfBenefit-enterer	enterer:Reference	Practitioner
facility	reference	ExplanationOfBenefit-facility	facility:Reference	Location
identifier	token	ExplanationOfBenefit-identifier	identifier*:Identifier
organization	reference	ExplanationOfBenefit-organization	organization:Reference	Organization
patient	reference	ExplanationOfBenefit-patient	patient:Reference	Patient
payee	reference	ExplanationOfBenefit-payee	payee.party:Reference	Organization,Patient,Practitioner,RelatedPerson
provider	reference	ExplanationOfBenefit-provider	provider:Reference	Practitioner
# FamilyMemberHistory
code	token	clinical-code	condition*.code:CodeableConcept
date	date	clinical-date	date:dateTime
definition	reference	FamilyMemberHistory-definition	definition*:Reference	PlanDefinition,Questionnaire
gender	token	FamilyMemberHistory-gender	gender:code=http://hl7.org/fhir/administrative-gender
identifier	token	clinical-identifier	identifier*:Identifier
patient	reference	clinical-patient	patient:Reference	Patient
relationship	token	FamilyMemberHistory-relationship	relationship:CodeableConcept
status	token	FamilyMemberHistory-status	status:code=http://hl7.org/fhir/history-status
# Flag
author	reference	Flag-author	author:Reference	Device,Organization,Patient,Practitioner
date	date	clinical-date	period:Period
encounter	reference	clinical-encounter	encounter:Reference	Encounter
identifier	token	Flag-identifier	identifier*:Identifier
patient	reference	clinical-patient	subject:Reference~Patient	Patient
subject	reference	Flag-subject	subject:Reference	Group,Location,Medication,Organization,Patient,PlanDefinition,Practitioner,Procedure
# Goal
category	token	Goal-category	category*:CodeableConcept
identifier	token	clinical-identifier	identifier*:Identifier
patient	reference	clinical-patient	subject:Reference~Patient	Patient
start-date	date	Goal-start-date	start(Date):date
status	token	Goal-status	status:code=http://hl7.org/fhir/goal-status
subject	reference	Goal-subject	subject:Reference	Group,Organization,Patient
target-date	date	Goal-target-date	target.due(Date):date
# GraphDefinition
date	date	GraphDefinition-date	date:dateTime
description	string	GraphDefinition-description	description:markdown
jurisdiction	token	GraphDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	GraphDefinition-name	name:string
publisher	string	GraphDefinition-publisher	publisher:string
start	token	GraphDefinition-start	start:code=http://hl7.org/fhir/resource-types
status	token	GraphDefinition-status	status:code=http://hl7.org/fhir/publication-status
url	uri	GraphDefinition-url	url:uri
version	token	GraphDefinition-version	version:string
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
# GuidanceResponse
identifier	token	GuidanceResponse-identifier	identifier:Identifier
patient	reference	GuidanceResponse-patient	subject:Reference~Patient	Patient
request	token	GuidanceResponse-request	requestId:id
subject	reference	GuidanceResponse-subject	subject:Reference	Group,Patient
# HealthcareService
active	token	HealthcareService-active	active:boolean
category	token	HealthcareService-category	category:CodeableConcept
characteristic	token	HealthcareService-characteristic	characteristic*:CodeableConcept
endpoint	reference	HealthcareService-endpoint	endpoint*:Reference	Endpoint
identifier	token	HealthcareService-identifier	identifier*:Identifier
location	reference	HealthcareService-location	location*:Reference	Location
name	string	HealthcareService-name	name:string
organization	reference	HealthcareService-organization	providedBy:Reference	Organization
programname	string	HealthcareService-programname	programName*:string
type	token	HealthcareService-type	type*:CodeableConcept
# ImagingManifest
author	reference	ImagingManifest-author	author:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
authoring-time	date	ImagingManifest-authoring-time	authoringTime:dateTime
endpoint	reference	ImagingManifest-endpoint	study*.endpoint*:Reference;study*.series*.endpoint*:Reference	Endpoint
identifier	token	ImagingManifest-identifier	identifier:Identifier
imaging-study	reference	ImagingManifest-imaging-study	study*.imagingStudy:Reference	ImagingStudy
patient	reference	clinical-patient	patient:Reference	Patient
selected-study	uri	ImagingManifest-selected-study	study*.uid:oid
# ImagingStudy
accession	token	ImagingStudy-accession	accession:Identifier
basedon	reference	ImagingStudy-basedon	basedOn*:Reference	CarePlan,ProcedureRequest,ReferralRequest
bodysite	token	ImagingStudy-bodysite	series*.bodySite:Coding
context	reference	ImagingStudy-context	context:Reference	Encounter,EpisodeOfCare
dicom-class	uri	ImagingStudy-dicom-class	series*.instance*.sopClass:oid
endpoint	reference	ImagingStudy-endpoint	endpoint*:Reference;series*.endpoint*:Reference	Endpoint
identifier	token	clinical-identifier	identifier*:Identifier
modality	token	ImagingStudy-modality	series*.modality:Coding
patient	reference	clinical-patient	patient:Reference	Patient
performer	reference	ImagingStudy-performer	series*.performer*:Reference	Practitioner
reason	token	ImagingStudy-reason	reason:CodeableConcept
series	uri	ImagingStudy-series	series*.uid:oid
started	date	ImagingStudy-started	started:dateTime
study	uri	ImagingStudy-study	uid:oid
uid	uri	ImagingStudy-uid	series*.instance*.uid:oid
# Immunization
date	date	clinical-date	date:dateTime
dose-sequence	number	Immunization-dose-sequence	vaccinationProtocol*.doseSequence:positiveInt
identifier	token	clinical-identifier	identifier*:Identifier
location	reference	Immunization-location	location:Reference	Location
lot-number	string	Immunization-lot-number	lotNumber:string
manufacturer	reference	Immunization-manufacturer	manufacturer:Reference	Organization
notgiven	token	Immunization-notgiven	notGiven:boolean
patient	reference	clinical-patient	patient:Reference	Patient
practitioner	reference	Immunization-practitioner	practitioner*.actor:Reference	Practitioner
reaction	reference	Immunization-reaction	reaction*.detail:Reference	Observation
reaction-date	date	Immunization-reaction-date	reaction*.date:dateTime
reason	token	Immunization-reason	explanation.reason*:CodeableConcept
reason-not-given	token	Immunization-reason-not-given	explanation.reasonNotGiven*:CodeableConcept
status	token	Immunization-status	status:code=http://hl7.org/fhir/medication-admin-status
vaccine-code	token	Immunization-vaccine-code	vaccineCode:CodeableConcept
# ImmunizationRecommendation
date	date	ImmunizationRecommendation-date	recommendation*.date:dateTime
dose-number	number	ImmunizationRecommendation-dose-number	recommendation*.doseNumber:positiveInt
dose-sequence	number	ImmunizationRecommendation-dose-sequence	recommendation*.protocol.doseSequence:positiveInt
identifier	token	ImmunizationRecommendation-identifier	identifier*:Identifier
information	reference	ImmunizationRecommendation-information	recommendation*.supportingPatientInformation*:Reference	AllergyIntolerance,Observation
patient	reference	ImmunizationRecommendation-patient	patient:Reference	Patient
status	token	ImmunizationRecommendation-status	recommendation*.forecastStatus:CodeableConcept
support	reference	ImmunizationRecommendation-support	recommendation*.supportingImmunization*:Reference	Immunization
target-disease	token	ImmunizationRecommendation-target-disease	recommendation*.targetDisease:CodeableConcept
vaccine-type	token	ImmunizationRecommendation-vaccine-type	recommendation*.vaccineCode:CodeableConcept
# ImplementationGuide
date	date	ImplementationGuide-date	date:dateTime
dependency	uri	ImplementationGuide-dependency	dependency*.uri:uri
description	string	ImplementationGuide-description	description:markdown
experimental	token	ImplementationGuide-experimental	experimental:boolean
jurisdiction	token	ImplementationGuide-jurisdiction	jurisdiction*:CodeableConcept
name	string	ImplementationGuide-name	name:string
publisher	string	ImplementationGuide-publisher	publisher:string
resource	reference	ImplementationGuide-resource	package*.resource*.source(Uri):uri;package*.resource*.source(Reference):Reference	*
status	token	ImplementationGuide-status	status:code=http://hl7.org/fhir/publication-status
url	uri	ImplementationGuide-url	url:uri
version	token	ImplementationGuide-version	version:string
# Library
composed-of	reference	Library-composed-of	relatedArtifact*[type=composed-of].resource:Reference	*
date	date	Library-date	date:dateTime
depends-on	reference	Library-depends-on	relatedArtifact*[type=depends-on].resource:Reference	*
derived-from	reference	Library-derived-from	relatedArtifact*[type=derived-from].resource:Reference	*
description	string	Library-description	description:markdown
effective	date	Library-effective	effectivePeriod:Period
identifier	token	Library-identifier	identifier*:Identifier
jurisdiction	token	Library-jurisdiction	jurisdiction*:CodeableConcept
name	string	Library-name	name:string
predecessor	reference	Library-predecessor	relatedArtifact*[type=predecessor].resource:Reference	*
publisher	string	Library-publisher	publisher:string
status	token	Library-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	Library-successor	relatedArtifact*[type=successor].resource:Reference	*
title	string	Library-title	title:string
topic	token	Library-topic	topic*:CodeableConcept
url	uri	Library-url	url:uri
version	token	Library-version	version:string
# Linkage
author	reference	Linkage-author	author:Reference	Organization,Practitioner
item	reference	Linkage-item	item*.resource:Reference	*
source	reference	Linkage-source	item*.resource:Reference	*
# List
code	token	clinical-code	code:CodeableConcept
date	date	clinical-date	date:dateTime
empty-reason	token	List-empty-reason	emptyReason:CodeableConcept
encounter	reference	clinical-encounter	encounter:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
item	reference	List-item	entry*.item:Reference	*
notes	string	List-notes	note*.text:string
patient	reference	clinical-patient	subject:Reference~Patient	Patient
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
endpoint	reference	Location-endpoint	endpoint*:Reference	Endpoint
identifier	token	Location-identifier	identifier*:Identifier
name	string	Location-name	name:string;alias*:string
near	token	Location-near	position:BackboneElement
near-distance	quantity	Location-near-distance	position:BackboneElement
operational-status	token	Location-operational-status	operationalStatus:Coding
organization	reference	Location-organization	managingOrganization:Reference	Organization
partof	reference	Location-partof	partOf:Reference	Location
status	token	Location-status	status:code=http://hl7.org/fhir/location-status
type	token	Location-type	type:CodeableConcept
# Measure
composed-of	reference	Measure-composed-of	relatedArtifact*[type=composed-of].resource:Reference	*
date	date	Measure-date	date:dateTime
depends-on	reference	Measure-depends-on	relatedArtifact*[type=depends-on].resource:Reference;library*:Reference	*
derived-from	reference	Measure-derived-from	relatedArtifact*[type=derived-from].resource:Reference	*
description	string	Measure-description	description:markdown
effective	date	Measure-effective	effectivePeriod:Period
identifier	token	Measure-identifier	identifier*:Identifier
jurisdiction	token	Measure-jurisdiction	jurisdiction*:CodeableConcept
name	string	Measure-name	name:string
predecessor	reference	Measure-predecessor	relatedArtifact*[type=predecessor].resource:Reference	*
publisher	string	Measure-publisher	publisher:string
status	token	Measure-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	Measure-successor	relatedArtifact*[type=successor].resource:Reference	*
title	string	Measure-title	title:string
topic	token	Measure-topic	topic*:CodeableConcept
url	uri	Measure-url	url:uri
version	token	Measure-version	version:string
# MeasureReport
identifier	token	MeasureReport-identifier	identifier:Identifier
patient	reference	MeasureReport-patient	patient:Reference	Patient
status	token	MeasureReport-status	status:code=http://hl7.org/fhir/measure-report-status
# Media
based-on	reference	Media-based-on	basedOn*:Reference	ProcedureRequest
context	reference	Media-context	context:Reference	Encounter,EpisodeOfCare
created	date	Media-created	content.creation:dateTime
date	date	Media-date	occurrence(DateTime):dateTime;occurrence(Period):Period
device	reference	Media-device	device:Reference	Device,DeviceMetric
identifier	token	Media-identifier	identifier*:Identifier
operator	reference	Media-operator	operator:Reference	Practitioner
patient	reference	Media-patient	subject:Reference~Patient	Patient
site	token	Media-site	bodySite:CodeableConcept
subject	reference	Media-subject	subject:Reference	Device,Group,Patient,Practitioner,Specimen
subtype	token	Media-subtype	subtype:CodeableConcept
type	token	Media-type	type:code=http://hl7.org/fhir/digital-media-type
view	token	Media-view	view:CodeableConcept
# Medication
code	token	medications-code	code:CodeableConcept
container	token	Medication-container	package.container:CodeableConcept
form	token	Medication-form	form:CodeableConcept
ingredient	reference	Medication-ingredient	ingredient*.item(Reference):Reference	Medication,Substance
ingredient-code	token	Medication-ingredient-code	ingredient*.item(CodeableConcept):CodeableConcept
manufacturer	reference	Medication-manufacturer	manufacturer:Reference	Organization
over-the-counter	token	Medication-over-the-counter	isOverTheCounter:boolean
package-item	reference	Medication-package-item	package.content*.item(Reference):Reference	Medication
package-item-code	token	Medication-package-item-code	package.content*.item(CodeableConcept):CodeableConcept
status	token	Medication-status	status:code=http://hl7.org/fhir/medication-status
# MedicationAdministration
code	token	medications-code	medication(CodeableConcept):CodeableConcept
context	reference	MedicationAdministration-context	context:Reference	Encounter,EpisodeOfCare
device	reference	MedicationAdministration-device	device*:Reference	Device
effective-time	date	MedicationAdministration-effective-time	effective(DateTime):dateTime;effective(Period):Period
identifier	token	medications-identifier	identifier*:Identifier
medication	reference	medications-medication	medication(Reference):Reference	Medication
not-given	token	MedicationAdministration-not-given	notGiven:boolean
patient	reference	medications-patient	subject:Reference~Patient	Patient
performer	reference	MedicationAdministration-performer	performer*.actor:Reference	Device,Patient,Practitioner,RelatedPerson
prescription	reference	medications-prescription	prescription:Reference	MedicationRequest
reason-given	token	MedicationAdministration-reason-given	reasonCode*:CodeableConcept
reason-not-given	token	MedicationAdministration-reason-not-given	reasonNotGiven*:CodeableConcept
status	token	medications-status	status:code=http://hl7.org/fhir/medication-admin-status
subject	reference	MedicationAdministration-subject	subject:Reference	Group,Patient
# MedicationDispense
code	token	medications-code	medication(CodeableConcept):CodeableConcept
context	reference	MedicationDispense-context	context:Reference	Encounter,EpisodeOfCare
destination	reference	MedicationDispense-destination	destination:Reference	Location
identifier	token	medications-identifier	identifier*:Identifier
medication	reference	medications-medication	medication(Reference):Reference	Medication
patient	reference	medications-patient	subject:Reference~Patient	Patient
performer	reference	MedicationDispense-performer	performer*.actor:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
prescription	reference	medications-prescription	authorizingPrescription*:Reference	MedicationRequest
receiver	reference	MedicationDispense-receiver	receiver*:Reference	Patient,Practitioner
responsibleparty	reference	MedicationDispense-responsibleparty	substitution.responsibleParty*:Reference	Practitioner
status	token	medications-status	status:code=http://hl7.org/fhir/medication-dispense-status
subject	reference	MedicationDispense-subject	subject:Reference	Group,Patient
type	token	MedicationDispense-type	type:CodeableConcept
whenhandedover	date	MedicationDispense-whenhandedover	whenHandedOver:dateTime
whenprepared	date	MedicationDispense-whenprepared	whenPrepared:dateTime
# MedicationRequest
authoredon	date	MedicationRequest-authoredon	authoredOn:dateTime
category	token	MedicationRequest-category	category:CodeableConcept
code	token	medications-code	medication(CodeableConcept):CodeableConcept
context	reference	MedicationRequest-context	context:Reference	Encounter,EpisodeOfCare
date	date	medications-date	dosageInstruction*.timing.event*:dateTime
identifier	token	medications-identifier	identifier*:Identifier
intended-dispenser	reference	MedicationRequest-intended-dispenser	dispenseRequest.performer:Reference	Organization
intent	token	MedicationRequest-intent	intent:code=http://hl7.org/fhir/medication-request-intent
medication	reference	medications-medication	medication(Reference):Reference	Medication
patient	reference	medications-patient	subject:Reference~Patient	Patient
priority	token	MedicationRequest-priority	priority:code=http://hl7.org/fhir/medication-request-priority
requester	reference	MedicationRequest-requester	requester.agent:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
status	token	medications-status	status:code=http://hl7.org/fhir/medication-request-status
subject	reference	MedicationRequest-subject	subject:Reference	Group,Patient
# MedicationStatement
category	token	MedicationStatement-category	category:CodeableConcept
code	token	medications-code	medication(CodeableConcept):CodeableConcept
context	reference	MedicationStatement-context	context:Reference	Encounter,EpisodeOfCare
effective	date	MedicationStatement-effective	effective(DateTime):dateTime;effective(Period):Period
identifier	token	medications-identifier	identifier*:Identifier
medication	reference	medications-medication	medication(Reference):Reference	Medication
part-of	reference	MedicationStatement-part-of	partOf*:Reference	MedicationAdministration,MedicationDispense,MedicationStatement,Observation,Procedure
patient	reference	medications-patient	subject:Reference~Patient	Patient
source	reference	MedicationStatement-source	informationSource:Reference	Organization,Patient,Practitioner,RelatedPerson
status	token	medications-status	status:code=http://hl7.org/fhir/medication-statement-status
subject	reference	MedicationStatement-subject	subject:Reference	Group,Patient
# MessageDefinition
category	token	MessageDefinition-category	category:code=http://hl7.org/fhir/message-significance-category
date	date	MessageDefinition-date	date:dateTime
description	string	MessageDefinition-description	description:markdown
event	token	MessageDefinition-event	event:Coding
focus	token	MessageDefinition-focus	focus*.code:code=http://hl7.org/fhir/resource-types
identifier	token	MessageDefinition-identifier	identifier:Identifier
jurisdiction	token	MessageDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	MessageDefinition-name	name:string
publisher	string	MessageDefinition-publisher	publisher:string
status	token	MessageDefinition-status	status:code=http://hl7.org/fhir/publication-status
title	string	MessageDefinition-title	title:string
url	uri	MessageDefinition-url	url:uri
version	token	MessageDefinition-version	version:string
# MessageHeader
author	reference	MessageHeader-author	author:Reference	Practitioner
code	token	MessageHeader-code	response.code:code=http://hl7.org/fhir/response-code
destination	string	MessageHeader-destination	destination*.name:string
destination-uri	uri	MessageHeader-destination-uri	destination*.endpoint:uri
enterer	reference	MessageHeader-enterer	enterer:Reference	Practitioner
event	token	MessageHeader-event	event:Coding
focus	reference	MessageHeader-focus	focus*:Reference	*
receiver	reference	MessageHeader-receiver	receiver:Reference	Organization,Practitioner
response-id	token	MessageHeader-response-id	response.identifier:id
responsible	reference	MessageHeader-responsible	responsible:Reference	Organization,Practitioner
sender	reference	MessageHeader-sender	sender:Reference	Organization,Practitioner
source	string	MessageHeader-source	source.name:string
source-uri	uri	MessageHeader-source-uri	source.endpoint:uri
target	reference	MessageHeader-target	destination*.target:Reference	Device
timestamp	date	MessageHeader-timestamp	timestamp:instant
# NamingSystem
contact	string	NamingSystem-contact	contact*.name:string
date	date	NamingSystem-date	date:dateTime
description	string	NamingSystem-description	description:markdown
id-type	token	NamingSystem-id-type	uniqueId*.type:code=http://hl7.org/fhir/namingsystem-identifier-type
jurisdiction	token	NamingSystem-jurisdiction	jurisdiction*:CodeableConcept
kind	token	NamingSystem-kind	kind:code=http://hl7.org/fhir/namingsystem-type
name	string	NamingSystem-name	name:string
period	date	NamingSystem-period	uniqueId*.period:Period
publisher	string	NamingSystem-publisher	publisher:string
replaced-by	reference	NamingSystem-replaced-by	replacedBy:Reference	NamingSystem
responsible	string	NamingSystem-responsible	responsible:string
status	token	NamingSystem-status	status:code=http://hl7.org/fhir/publication-status
telecom	token	NamingSystem-telecom	contact*.telecom*:ContactPoint
type	token	NamingSystem-type	type:CodeableConcept
value	string	NamingSystem-value	uniqueId*.value:string
# NutritionOrder
additive	token	NutritionOrder-additive	enteralFormula.additiveType:CodeableConcept
datetime	date	NutritionOrder-datetime	dateTime:dateTime
encounter	reference	clinical-encounter	encounter:Reference	Encounter
formula	token	NutritionOrder-formula	enteralFormula.baseFormulaType:CodeableConcept
identifier	token	clinical-identifier	identifier*:Identifier
oraldiet	token	NutritionOrder-oraldiet	oralDiet.type*:CodeableConcept
patient	reference	clinical-patient	patient:Reference	Patient
provider	reference	NutritionOrder-provider	orderer:Reference	Practitioner
status	token	NutritionOrder-status	status:code=http://hl7.org/fhir/nutrition-request-status
supplement	token	NutritionOrder-supplement	supplement*.type:CodeableConcept
# Observation
based-on	reference	Observation-based-on	basedOn*:Reference	CarePlan,DeviceRequest,ImmunizationRecommendation,MedicationRequest,NutritionOrder,ProcedureRequest,ReferralRequest
category	token	Observation-category	category*:CodeableConcept
code	token	clinical-code	code:CodeableConcept
code-value-concept	composite	Observation-code-value-concept			.	code token code:CodeableConcept & value-concept token value(CodeableConcept):CodeableConcept
code-value-date	composite	Observation-code-value-date			.	code token code:CodeableConcept & value-date date value(DateTime):dateTime;value(Period):Period
code-value-quantity	composite	Observation-code-value-quantity			.	code token code:CodeableConcept & value-quantity quantity value(Quantity):Quantity
code-value-string	composite	Observation-code-value-string			.	code token code:CodeableConcept & value-string string value(String):string
combo-code	token	Observation-combo-code	code:CodeableConcept;component*.code:CodeableConcept
combo-code-value-concept	composite	Observation-combo-code-value-concept			.;component*	combo-code token code:CodeableConcept & combo-value-concept token value(CodeableConcept):CodeableConcept
combo-code-value-quantity	composite	Observation-combo-code-value-quantity			.;component*	combo-code token code:CodeableConcept & combo-value-quantity quantity value(Quantity):Quantity
combo-data-absent-reason	token	Observation-combo-data-absent-reason	dataAbsentReason:CodeableConcept;component*.dataAbsentReason:CodeableConcept
combo-value-concept	token	Observation-combo-value-concept	value(CodeableConcept):CodeableConcept;component*.value(CodeableConcept):CodeableConcept
combo-value-quantity	quantity	Observation-combo-value-quantity	value(Quantity):Quantity;component*.value(Quantity):Quantity
component-code	token	Observation-component-code	component*.code:CodeableConcept
component-code-value-concept	composite	Observation-component-code-value-concept			component*	component-code token code:CodeableConcept & component-value-concept token value(CodeableConcept):CodeableConcept
component-code-value-quantity	composite	Observation-component-code-value-quantity			component*	component-code token code:CodeableConcept & component-value-quantity quantity value(Quantity):Quantity
component-data-absent-reason	token	Observation-component-data-absent-reason	component*.dataAbsentReason:CodeableConcept
component-value-concept	token	Observation-component-value-concept	component*.value(CodeableConcept):CodeableConcept
component-value-quantity	quantity	Observation-component-value-quantity	component*.value(Quantity):Quantity
context	reference	Observation-context	context:Reference	Encounter,EpisodeOfCare
data-absent-reason	token	Observation-data-absent-reason	dataAbsentReason:CodeableConcept
date	date	clinical-date	effective(DateTime):dateTime;effective(Period):Period
device	reference	Observation-device	device:Reference	Device,DeviceMetric
encounter	reference	clinical-encounter	context:Reference	Encounter,EpisodeOfCare
identifier	token	clinical-identifier	identifier*:Identifier
method	token	Observation-method	method:CodeableConcept
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	Observation-performer	performer*:Reference	Organization,Patient,Practitioner,RelatedPerson
related	composite	Observation-related			related*	related-target reference target:Reference & related-type token type:code=http://hl7.org/fhir/observation-relationshiptypes
related-target	reference	Observation-related-target	related*.target:Reference	Observation,QuestionnaireResponse,Sequence
related-type	token	Observation-related-type	related*.type:code=http://hl7.org/fhir/observation-relationshiptypes
specimen	reference	Observation-specimen	specimen:Reference	Specimen
status	token	Observation-status	status:code=http://hl7.org/fhir/observation-status
subject	reference	Observation-subject	subject:Reference	Device,Group,Location,Patient
value-concept	token	Observation-value-concept	value(CodeableConcept):CodeableConcept
value-date	date	Observation-value-date	value(DateTime):dateTime;value(Period):Period
value-quantity	quantity	Observation-value-quantity	value(Quantity):Quantity
value-string	string	Observation-value-string	value(String):string
# OperationDefinition
base	reference	OperationDefinition-base	base:Reference	OperationDefinition
code	token	OperationDefinition-code	code:code
date	date	OperationDefinition-date	date:dateTime
description	string	OperationDefinition-description	description:markdown
instance	token	OperationDefinition-instance	instance:boolean
jurisdiction	token	OperationDefinition-jurisdiction	jurisdiction*:CodeableConcept
kind	token	OperationDefinition-kind	kind:code=http://hl7.org/fhir/operation-kind
name	string	OperationDefinition-name	name:string
param-profile	reference	OperationDefinition-param-profile	parameter*.profile:Reference	StructureDefinition
publisher	string	OperationDefinition-publisher	publisher:string
status	token	OperationDefinition-status	status:code=http://hl7.org/fhir/publication-status
system	token	OperationDefinition-system	system:boolean
type	token	OperationDefinition-type	type:boolean
url	uri	OperationDefinition-url	url:uri
version	token	OperationDefinition-version	version:string
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
# Parameters
# Patient
active	token	Patient-active	active:boolean
address	string	individual-address	address*:Address
address-city	string	individual-address-city	address*.city:string
address-country	string	individual-address-country	address*.country:string
address-postalcode	string	individual-address-postalcode	address*.postalCode:string
address-state	string	individual-address-state	address*.state:string
address-use	token	individual-address-use	address*.use:code=http://hl7.org/fhir/address-use
animal-breed	token	Patient-animal-breed	animal.breed:CodeableConcept
animal-species	token	Patient-animal-species	animal.species:CodeableConcept
birthdate	date	individual-birthdate	birthDate:date
death-date	date	Patient-death-date	deceased(DateTime):dateTime
deceased	token	Patient-deceased	deceased(Boolean|DateTime):present
email	token	individual-email	telecom*[system=email]:ContactPoint
family	string	individual-family	name*.family:string
gender	token	individual-gender	gender:code=http://hl7.org/fhir/administrative-gender
general-practitioner	reference	Patient-general-practitioner	generalPractitioner*:Reference	Organization,Practitioner
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
organization	reference	PaymentNotice-organization	organization:Reference	Organization
payment-status	token	PaymentNotice-payment-status	paymentStatus:CodeableConcept
provider	reference	PaymentNotice-provider	provider:Reference	Practitioner
request	reference	PaymentNotice-request	request:Reference	*
response	reference	PaymentNotice-response	response:Reference	*
statusdate	date	PaymentNotice-statusdate	statusDate:date
# PaymentReconciliation
created	date	PaymentReconciliation-created	created:dateTime
disposition	string	PaymentReconciliation-disposition	disposition:string
identifier	token	PaymentReconciliation-identifier	identifier*:Identifier
organization	reference	PaymentReconciliation-organization	organization:Reference	Organization
outcome	token	PaymentReconciliation-outcome	outcome:CodeableConcept
request	reference	PaymentReconciliation-request	request:Reference	ProcessRequest
request-organization	reference	PaymentReconciliation-request-organization	requestOrganization:Reference	Organization
request-provider	reference	PaymentReconciliation-request-provider	requestProvider:Reference	Practitioner
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
practitioner	reference	Person-practitioner	link*.target:Reference	Practitioner
relatedperson	reference	Person-relatedperson	link*.target:Reference	RelatedPerson
telecom	token	individual-telecom	telecom*:ContactPoint
# PlanDefinition
composed-of	reference	PlanDefinition-composed-of	relatedArtifact*[type=composed-of].resource:Reference	*
date	date	PlanDefinition-date	date:dateTime
depends-on	reference	PlanDefinition-depends-on	relatedArtifact*[type=depends-on].resource:Reference;library*:Reference	*
derived-from	reference	PlanDefinition-derived-from	relatedArtifact*[type=derived-from].resource:Reference	*
description	string	PlanDefinition-description	description:markdown
effective	date	PlanDefinition-effective	effectivePeriod:Period
identifier	token	PlanDefinition-identifier	identifier*:Identifier
jurisdiction	token	PlanDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	PlanDefinition-name	name:string
predecessor	reference	PlanDefinition-predecessor	relatedArtifact*[type=predecessor].resource:Reference	*
publisher	string	PlanDefinition-publisher	publisher:string
status	token	PlanDefinition-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	PlanDefinition-successor	relatedArtifact*[type=successor].resource:Reference	*
title	string	PlanDefinition-title	title:string
topic	token	PlanDefinition-topic	topic*:CodeableConcept
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
based-on	reference	Procedure-based-on	basedOn*:Reference	CarePlan,ProcedureRequest,ReferralRequest
category	token	Procedure-category	category:CodeableConcept
code	token	clinical-code	code:CodeableConcept
context	reference	Procedure-context	context:Reference	Encounter,EpisodeOfCare
date	date	clinical-date	performed(DateTime):dateTime;performed(Period):Period
definition	reference	Procedure-definition	definition*:Reference	ActivityDefinition,HealthcareService,PlanDefinition
encounter	reference	clinical-encounter	context:Reference	Encounter,EpisodeOfCare
identifier	token	clinical-identifier	identifier*:Identifier
location	reference	Procedure-location	location:Reference	Location
part-of	reference	Procedure-part-of	partOf*:Reference	MedicationAdministration,Observation,Procedure
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	Procedure-performer	performer*.actor:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
status	token	Procedure-status	status:code=http://hl7.org/fhir/event-status
subject	reference	Procedure-subject	subject:Reference	Group,Patient
# ProcedureRequest
authored	date	ProcedureRequest-authored	authoredOn:dateTime
based-on	reference	ProcedureRequest-based-on	basedOn*:Reference	*
body-site	token	ProcedureRequest-body-site	bodySite*:CodeableConcept
code	token	clinical-code	code:CodeableConcept
context	reference	ProcedureRequest-context	context:Reference	Encounter,EpisodeOfCare
definition	reference	ProcedureRequest-definition	definition*:Reference	ActivityDefinition,PlanDefinition
encounter	reference	clinical-encounter	context:Reference	Encounter,EpisodeOfCare
identifier	token	clinical-identifier	identifier*:Identifier
intent	token	ProcedureRequest-intent	intent:code=http://hl7.org/fhir/request-intent
occurrence	date	ProcedureRequest-occurrence	occurrence(DateTime):dateTime;occurrence(Period):Period;occurrence(Timing):Timing
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	ProcedureRequest-performer	performer:Reference	Device,HealthcareService,Organization,Patient,Practitioner,RelatedPerson
performer-type	token	ProcedureRequest-performer-type	performerType:CodeableConcept
priority	token	ProcedureRequest-priority	priority:code=http://hl7.org/fhir/request-priority
replaces	reference	ProcedureRequest-replaces	replaces*:Reference	*
requester	reference	ProcedureRequest-requester	requester.agent:Reference	Device,Organization,Practitioner
requisition	token	ProcedureRequest-requisition	requisition:Identifier
specimen	reference	ProcedureRequest-specimen	specimen*:Reference	Specimen
status	token	ProcedureRequest-status	status:code=http://hl7.org/fhir/request-status
subject	reference	ProcedureRequest-subject	subject:Reference	Device,Group,Location,Patient
# ProcessRequest
action	token	ProcessRequest-action	action:code=http://hl7.org/fhir/actionlist
identifier	token	ProcessRequest-identifier	identifier*:Identifier
organization	reference	ProcessRequest-organization	organization:Reference	Organization
provider	reference	ProcessRequest-provider	provider:Reference	Practitioner
# ProcessResponse
identifier	token	ProcessResponse-identifier	identifier*:Identifier
organization	reference	ProcessResponse-organization	organization:Reference	Organization
request	reference	ProcessResponse-request	request:Reference	*
request-organization	reference	ProcessResponse-request-organization	requestOrganization:Reference	Organization
request-provider	reference	ProcessResponse-request-provider	requestProvider:Reference	Practitioner
# Provenance
agent	reference	Provenance-agent	agent*.who(Uri):uri;agent*.who(Reference):Reference	Device,Organization,Patient,Practitioner,RelatedPerson
agent-role	token	Provenance-agent-role	agent*.role*:CodeableConcept
end	date	Provenance-end	period.end:dateTime
entity-id	token	Provenance-entity-id	entity*.what(Identifier):Identifier
entity-ref	reference	Provenance-entity-ref	entity*.what(Reference):Reference	*
location	reference	Provenance-location	location:Reference	Location
patient	reference	Provenance-patient	target*:Reference~Patient	Patient
recorded	date	Provenance-recorded	recorded:instant
signature-type	token	Provenance-signature-type	signature*.type*:Coding
start	date	Provenance-start	period.start:dateTime
target	reference	Provenance-target	target*:Reference	*
# Questionnaire
code	token	Questionnaire-code	item*.code*:Coding
date	date	Questionnaire-date	date:dateTime
description	string	Questionnaire-description	description:markdown
effective	date	Questionnaire-effective	effectivePeriod:Period
identifier	token	Questionnaire-identifier	identifier*:Identifier
jurisdiction	token	Questionnaire-jurisdiction	jurisdiction*:CodeableConcept
name	string	Questionnaire-name	name:string
publisher	string	Questionnaire-publisher	publisher:string
status	token	Questionnaire-status	status:code=http://hl7.org/fhir/publication-status
title	string	Questionnaire-title	title:string
url	uri	Questionnaire-url	url:uri
version	token	Questionnaire-version	version:string
# QuestionnaireResponse
author	reference	QuestionnaireResponse-author	author:Reference	Device,Patient,Practitioner,RelatedPerson
authored	date	QuestionnaireResponse-authored	authored:dateTime
based-on	reference	QuestionnaireResponse-based-on	basedOn*:Reference	CarePlan,ProcedureRequest,ReferralRequest
context	reference	QuestionnaireResponse-context	context:Reference	Encounter,EpisodeOfCare
identifier	token	QuestionnaireResponse-identifier	identifier:Identifier
parent	reference	QuestionnaireResponse-parent	parent*:Reference	Observation,Procedure
patient	reference	QuestionnaireResponse-patient	subject:Reference~Patient	Patient
questionnaire	reference	QuestionnaireResponse-questionnaire	questionnaire:Reference	Questionnaire
source	reference	QuestionnaireResponse-source	source:Reference	Patient,Practitioner,RelatedPerson
status	token	QuestionnaireResponse-status	status:code=http://hl7.org/fhir/questionnaire-answers-status
subject	reference	QuestionnaireResponse-subject	subject:Reference	*
# ReferralRequest
authored-on	date	ReferralRequest-authored-on	authoredOn:dateTime
based-on	reference	ReferralRequest-based-on	basedOn*:Reference	CarePlan,ProcedureRequest,ReferralRequest
context	reference	ReferralRequest-context	context:Reference	Encounter,EpisodeOfCare
definition	reference	ReferralRequest-definition	definition*:Reference	ActivityDefinition,PlanDefinition
encounter	reference	ReferralRequest-encounter	context:Reference	Encounter
group-identifier	token	ReferralRequest-group-identifier	groupIdentifier:Identifier
identifier	token	ReferralRequest-identifier	identifier*:Identifier
intent	token	ReferralRequest-intent	intent:code=http://hl7.org/fhir/request-intent
occurrence-date	date	ReferralRequest-occurrence-date	occurrence(DateTime):dateTime;occurrence(Period):Period
patient	reference	clinical-patient	subject:Reference~Patient	Patient
priority	token	ReferralRequest-priority	priority:code=http://hl7.org/fhir/request-priority
recipient	reference	ReferralRequest-recipient	recipient*:Reference	HealthcareService,Organization,Practitioner
replaces	reference	ReferralRequest-replaces	replaces*:Reference	ReferralRequest
requester	reference	ReferralRequest-requester	requester.agent:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
service	token	ReferralRequest-service	serviceRequested*:CodeableConcept
specialty	token	ReferralRequest-specialty	specialty:CodeableConcept
status	token	ReferralRequest-status	status:code=http://hl7.org/fhir/request-status
subject	reference	ReferralRequest-subject	subject:Reference	Group,Patient
type	token	clinical-type	type:CodeableConcept
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
telecom	token	individual-telecom	telecom*:ContactPoint
# RequestGroup
author	reference	RequestGroup-author	author:Reference	Device,Practitioner
authored	date	RequestGroup-authored	authoredOn:dateTime
context	reference	RequestGroup-context	context:Reference	Encounter,EpisodeOfCare
definition	reference	RequestGroup-definition	definition*:Reference	*
encounter	reference	RequestGroup-encounter	context:Reference	Encounter
group-identifier	token	RequestGroup-group-identifier	groupIdentifier:Identifier
identifier	token	RequestGroup-identifier	identifier*:Identifier
intent	token	RequestGroup-intent	intent:code=http://hl7.org/fhir/request-intent
participant	reference	RequestGroup-participant	action*.participant*:Reference	Patient,Person,Practitioner,RelatedPerson
patient	reference	RequestGroup-patient	subject:Reference~Patient	Patient
priority	token	RequestGroup-priority	priority:code=http://hl7.org/fhir/request-priority
status	token	RequestGroup-status	status:code=http://hl7.org/fhir/request-status
subject	reference	RequestGroup-subject	subject:Reference	Group,Patient
# ResearchStudy
category	token	ResearchStudy-category	category*:CodeableConcept
date	date	ResearchStudy-date	period:Period
focus	token	ResearchStudy-focus	focus*:CodeableConcept
identifier	token	ResearchStudy-identifier	identifier*:Identifier
jurisdiction	token	ResearchStudy-jurisdiction	jurisdiction*:CodeableConcept
keyword	token	ResearchStudy-keyword	keyword*:CodeableConcept
partof	reference	ResearchStudy-partof	partOf*:Reference	ResearchStudy
principalinvestigator	reference	ResearchStudy-principalinvestigator	principalInvestigator:Reference	Practitioner
protocol	reference	ResearchStudy-protocol	protocol*:Reference	PlanDefinition
site	reference	ResearchStudy-site	site*:Reference	Location
sponsor	reference	ResearchStudy-sponsor	sponsor:Reference	Organization
status	token	ResearchStudy-status	status:code=http://hl7.org/fhir/research-study-status
title	string	ResearchStudy-title	title:string
# ResearchSubject
date	date	ResearchSubject-date	period:Period
identifier	token	ResearchSubject-identifier	identifier:Identifier
individual	reference	ResearchSubject-individual	individual:Reference	Patient
patient	reference	ResearchSubject-patient	individual:Reference	Patient
status	token	ResearchSubject-status	status:code=http://hl7.org/fhir/research-subject-status
# RiskAssessment
condition	reference	RiskAssessment-condition	condition:Reference	Condition
date	date	clinical-date	occurrence(DateTime):dateTime
encounter	reference	clinical-encounter	context:Reference	Encounter,EpisodeOfCare
identifier	token	clinical-identifier	identifier:Identifier
method	token	RiskAssessment-method	method:CodeableConcept
patient	reference	clinical-patient	subject:Reference~Patient	Patient
performer	reference	RiskAssessment-performer	performer:Reference	Device,Practitioner
probability	number	RiskAssessment-probability	prediction*.probability(Decimal):decimal;prediction*.probability(Range):Range
risk	token	RiskAssessment-risk	prediction*.qualitativeRisk:CodeableConcept
subject	reference	RiskAssessment-subject	subject:Reference	Group,Patient
# Schedule
active	token	Schedule-active	active:boolean
actor	reference	Schedule-actor	actor*:Reference	Device,HealthcareService,Location,Patient,Practitioner,PractitionerRole,RelatedPerson
date	date	Schedule-date	planningHorizon:Period
identifier	token	Schedule-identifier	identifier*:Identifier
type	token	Schedule-type	serviceType*:CodeableConcept
# SearchParameter
base	token	SearchParameter-base	base*:code=http://hl7.org/fhir/resource-types
code	token	SearchParameter-code	code:code
component	reference	SearchParameter-component	component*.definition:Reference	SearchParameter
date	date	SearchParameter-date	date:dateTime
derived-from	uri	SearchParameter-derived-from	derivedFrom:uri
description	string	SearchParameter-description	description:markdown
jurisdiction	token	SearchParameter-jurisdiction	jurisdiction*:CodeableConcept
name	string	SearchParameter-name	name:string
publisher	string	SearchParameter-publisher	publisher:string
status	token	SearchParameter-status	status:code=http://hl7.org/fhir/publication-status
target	token	SearchParameter-target	target*:code=http://hl7.org/fhir/resource-types
type	token	SearchParameter-type	type:code=http://hl7.org/fhir/search-param-type
url	uri	SearchParameter-url	url:uri
version	token	SearchParameter-version	version:string
# Sequence
chromosome	token	Sequence-chromosome	referenceSeq.chromosome:CodeableConcept
coordinate	composite	Sequence-coordinate			variant*	chromosome token %referenceSeq.chromosome:CodeableConcept & start number start:integer & end number end:integer
end	number	Sequence-end	referenceSeq.windowEnd:integer
identifier	token	Sequence-identifier	identifier*:Identifier
patient	reference	Sequence-patient	patient:Reference	Patient
start	number	Sequence-start	referenceSeq.windowStart:integer
type	token	Sequence-type	type:code=http://hl7.org/fhir/sequence-type
# ServiceDefinition
composed-of	reference	ServiceDefinition-composed-of	relatedArtifact*[type=composed-of].resource:Reference	*
date	date	ServiceDefinition-date	date:dateTime
depends-on	reference	ServiceDefinition-depends-on	relatedArtifact*[type=depends-on].resource:Reference	*
derived-from	reference	ServiceDefinition-derived-from	relatedArtifact*[type=derived-from].resource:Reference	*
description	string	ServiceDefinition-description	description:markdown
effective	date	ServiceDefinition-effective	effectivePeriod:Period
identifier	token	ServiceDefinition-identifier	identifier*:Identifier
jurisdiction	token	ServiceDefinition-jurisdiction	jurisdiction*:CodeableConcept
name	string	ServiceDefinition-name	name:string
predecessor	reference	ServiceDefinition-predecessor	relatedArtifact*[type=predecessor].resource:Reference	*
publisher	string	ServiceDefinition-publisher	publisher:string
status	token	ServiceDefinition-status	status:code=http://hl7.org/fhir/publication-status
successor	reference	ServiceDefinition-successor	relatedArtifact*[type=successor].resource:Reference	*
title	string	ServiceDefinition-title	title:string
topic	token	ServiceDefinition-topic	topic*:CodeableConcept
url	uri	ServiceDefinition-url	url:uri
version	token	ServiceDefinition-version	version:string
# Slot
identifier	token	Slot-identifier	identifier*:Identifier
schedule	reference	Slot-schedule	schedule:Reference	Schedule
slot-type	token	Slot-slot-type	serviceType*:CodeableConcept
start	date	Slot-start	start:instant
status	token	Slot-status	status:code=http://hl7.org/fhir/slotstatus
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
status	token	Specimen-status	status:code=http://hl7.org/fhir/specimen-status
subject	reference	Specimen-subject	subject:Reference	Device,Group,Patient,Substance
type	token	Specimen-type	type:CodeableConcept
# StructureDefinition
abstract	token	StructureDefinition-abstract	abstract:boolean
base	uri	StructureDefinition-base	baseDefinition:uri
base-path	token	StructureDefinition-base-path	snapshot.element*.base.path:string;differential.element*.base.path:string
context-type	token	StructureDefinition-context-type	contextType:code=http://hl7.org/fhir/extension-context
date	date	StructureDefinition-date	date:dateTime
derivation	token	StructureDefinition-derivation	derivation:code=http://hl7.org/fhir/type-derivation-rule
description	string	StructureDefinition-description	description:markdown
experimental	token	StructureDefinition-experimental	experimental:boolean
ext-context	string	StructureDefinition-ext-context	context*:string
identifier	token	StructureDefinition-identifier	identifier*:Identifier
jurisdiction	token	StructureDefinition-jurisdiction	jurisdiction*:CodeableConcept
keyword	token	StructureDefinition-keyword	keyword*:Coding
kind	token	StructureDefinition-kind	kind:code=http://hl7.org/fhir/structure-definition-kind
name	string	StructureDefinition-name	name:string
path	token	StructureDefinition-path	snapshot.element*.path:string;differential.element*.path:string
publisher	string	StructureDefinition-publisher	publisher:string
status	token	StructureDefinition-status	status:code=http://hl7.org/fhir/publication-status
title	string	StructureDefinition-title	title:string
type	token	StructureDefinition-type	type:code=http://hl7.org/fhir/data-types,http://hl7.org/fhir/resource-types
url	uri	StructureDefinition-url	url:uri
valueset	reference	StructureDefinition-valueset	snapshot.element*.binding.valueSet(Uri):uri;snapshot.element*.binding.valueSet(Reference):Reference	ValueSet
version	token	StructureDefinition-version	version:string
# StructureMap
date	date	StructureMap-date	date:dateTime
description	string	StructureMap-description	description:markdown
identifier	token	StructureMap-identifier	identifier*:Identifier
jurisdiction	token	StructureMap-jurisdiction	jurisdiction*:CodeableConcept
name	string	StructureMap-name	name:string
publisher	string	StructureMap-publisher	publisher:string
status	token	StructureMap-status	status:code=http://hl7.org/fhir/publication-status
title	string	StructureMap-title	title:string
url	uri	StructureMap-url	url:uri
version	token	StructureMap-version	version:string
# Subscription
add-tag	token	Subscription-add-tag	tag*:Coding
contact	token	Subscription-contact	contact*:ContactPoint
criteria	string	Subscription-criteria	criteria:string
payload	string	Subscription-payload	channel.payload:string
status	token	Subscription-status	status:code=http://hl7.org/fhir/subscription-status
type	token	Subscription-type	channel.type:code=http://hl7.org/fhir/subscription-channel-type
url	uri	Subscription-url	channel.endpoint:uri
# Substance
category	token	Substance-category	category*:CodeableConcept
code	token	Substance-code	code:CodeableConcept;ingredient*.substance(CodeableConcept):CodeableConcept
container-identifier	token	Substance-container-identifier	instance*.identifier:Identifier
expiry	date	Substance-expiry	instance*.expiry:dateTime
identifier	token	Substance-identifier	identifier*:Identifier
quantity	quantity	Substance-quantity	instance*.quantity:Quantity
status	token	Substance-status	status:code=http://hl7.org/fhir/substance-status
substance-reference	reference	Substance-substance-reference	ingredient*.substance(Reference):Reference	Substance
# SupplyDelivery
identifier	token	clinical-identifier	identifier:Identifier
patient	reference	clinical-patient	patient:Reference	Patient
receiver	reference	SupplyDelivery-receiver	receiver*:Reference	Practitioner
status	token	SupplyDelivery-status	status:code=http://hl7.org/fhir/supplydelivery-status
supplier	reference	SupplyDelivery-supplier	supplier:Reference	Organization,Practitioner
# SupplyRequest
category	token	SupplyRequest-category	category:CodeableConcept
date	date	clinical-date	authoredOn:dateTime
identifier	token	clinical-identifier	identifier:Identifier
requester	reference	SupplyRequest-requester	requester.agent:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
status	token	SupplyRequest-status	status:code=http://hl7.org/fhir/supplyrequest-status
supplier	reference	SupplyRequest-supplier	supplier*:Reference	Organization
# Task
authored-on	date	Task-authored-on	authoredOn:dateTime
based-on	reference	Task-based-on	basedOn*:Reference	*
business-status	token	Task-business-status	businessStatus:CodeableConcept
code	token	Task-code	code:CodeableConcept
context	reference	Task-context	context:Reference	Encounter,EpisodeOfCare
focus	reference	Task-focus	focus:Reference	*
group-identifier	token	Task-group-identifier	groupIdentifier:Identifier
identifier	token	Task-identifier	identifier*:Identifier
intent	token	Task-intent	intent:code=http://hl7.org/fhir/request-intent
modified	date	Task-modified	lastModified:dateTime
organization	reference	Task-organization	requester.onBehalfOf:Reference	Organization
owner	reference	Task-owner	owner:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
part-of	reference	Task-part-of	partOf*:Reference	Task
patient	reference	Task-patient	for:Reference~Patient	Patient
performer	token	Task-performer	performerType*:CodeableConcept
period	date	Task-period	executionPeriod:Period
priority	token	Task-priority	priority:code=http://hl7.org/fhir/request-priority
requester	reference	Task-requester	requester.agent:Reference	Device,Organization,Patient,Practitioner,RelatedPerson
status	token	Task-status	status:code=http://hl7.org/fhir/task-status
subject	reference	Task-subject	for:Reference	*
# TestReport
identifier	token	TestReport-identifier	identifier:Identifier
issued	date	TestReport-issued	issued:dateTime
participant	uri	TestReport-participant	participant*.uri:uri
result	token	TestReport-result	result:code=http://hl7.org/fhir/report-result-codes
tester	string	TestReport-tester	tester:string
testscript	reference	TestReport-testscript	testScript:Reference	TestScript
# TestScript
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
date	date	ValueSet-date	date:dateTime
description	string	ValueSet-description	description:markdown
expansion	uri	ValueSet-expansion	expansion.identifier:uri
identifier	token	ValueSet-identifier	identifier*:Identifier
jurisdiction	token	ValueSet-jurisdiction	jurisdiction*:CodeableConcept
name	string	ValueSet-name	name:string
publisher	string	ValueSet-publisher	publisher:string
reference	uri	ValueSet-reference	compose.include*.system:uri
status	token	ValueSet-status	status:code=http://hl7.org/fhir/publication-status
title	string	ValueSet-title	title:string
url	uri	ValueSet-url	url:uri
version	token	ValueSet-version	version:string
# VisionPrescription
datewritten	date	VisionPrescription-datewritten	dateWritten:dateTime
encounter	reference	clinical-encounter	encounter:Reference	Encounter
identifier	token	clinical-identifier	identifier*:Identifier
patient	reference	clinical-patient	patient:Reference	Patient
prescriber	reference	VisionPrescription-prescriber	prescriber:Reference	Practitioner`;
