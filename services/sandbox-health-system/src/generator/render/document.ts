import { createHash } from 'node:crypto';
import type * as R2 from 'fhir/r2';
import type * as R3 from 'fhir/r3';
import type * as R4 from 'fhir/r4';
import type { Release } from '../../releases';
import type { DocumentFact } from '../facts';
import { codeable, coded, dateTime, meta, reference } from './elements';

/** A DocumentReference; its content is a Binary. */
export function documentReference(fact: DocumentFact, patientId: string, release: Release): object {
  const content = Buffer.from(fact.content);
  const attachment = {
    contentType: fact.contentType,
    language: 'en-US',
    url: `Binary/${fact.binaryId}`,
    size: content.length,
    hash: createHash('sha1').update(content).digest('base64'),
    title: fact.title,
    creation: dateTime(fact.at),
  };
  const common = {
    resourceType: 'DocumentReference' as const,
    id: fact.id,
    meta: meta(fact),
    identifier: [{ system: 'urn:oid:2.16.840.1.113883.19.7', value: fact.id }],
    status: 'current' as const,
    type: codeable(fact.type),
    subject: reference('Patient', patientId),
    author: [reference('Practitioner', fact.practitionerId)],
    custodian: reference('Organization', fact.organizationId),
    description: fact.title,
    content: [{ attachment }],
  };
  const class_ = coded(
    'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category',
    'clinical-note',
    'Clinical Note',
  );
  const encounter = reference('Encounter', fact.encounterId);
  const context = { period: { start: dateTime(fact.at) } };
  const indexed = fact.recorded.toISOString();
  if (release === 'r4')
    return {
      ...common,
      category: [class_],
      date: indexed,
      context: { ...context, encounter: [encounter] },
    } satisfies R4.DocumentReference;
  const before: R2.DocumentReference & R3.DocumentReference = {
    ...common,
    class: class_,
    created: dateTime(fact.at),
    indexed,
    context: { ...context, encounter },
  };
  return before;
}

/** The Binary with the content of a document. */
export function binary(fact: DocumentFact, release: Release): object {
  const common = {
    resourceType: 'Binary' as const,
    id: fact.binaryId,
    meta: meta(fact),
    contentType: fact.contentType,
  };
  const content = Buffer.from(fact.content).toString('base64');
  if (release === 'r4') return { ...common, data: content } satisfies R4.Binary;
  return { ...common, content };
}
