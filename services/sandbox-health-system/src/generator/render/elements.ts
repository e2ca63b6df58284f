import type { Concept } from '../codes/concept';
import type { Fact, HumanName, MeasuredValue, PostalAddress } from '../facts';

/** Elements that are the same in all three releases. */
export function meta(fact: Fact): { versionId: string; lastUpdated: string } {
  return { versionId: '1', lastUpdated: fact.recorded.toISOString() };
}

export function codeable(concept: Concept) {
  return { coding: [{ system: concept.system, code: concept.code, display: concept.display }], text: concept.display };
}

export function coded(system: string, code: string, display: string) {
  return { coding: [{ system, code, display }] };
}

export function reference(type: string, id: string, display?: string) {
  return { reference: `${type}/${id}`, ...(display === undefined ? {} : { display }) };
}

export function quantity({ measurement, value }: MeasuredValue) {
  return { value, unit: measurement.unit, system: 'http://unitsofmeasure.org', code: measurement.ucum };
}

export function range({ measurement }: MeasuredValue) {
  return {
    low: quantity({ measurement, value: measurement.low }),
    high: quantity({ measurement, value: measurement.high }),
  };
}

export function phone(value: string, use: 'home' | 'work') {
  return { system: 'phone' as const, value, use };
}

export function address({ line, city, state, postalCode }: PostalAddress) {
  return { line: [line], city, state, postalCode, country: 'US' };
}

/** A HumanName in STU3 and R4. */
export function name({ family, given, prefix }: HumanName) {
  return { use: 'official' as const, family, given, ...(prefix === undefined ? {} : { prefix: [prefix] }) };
}

/** A HumanName in DSTU2, where `family` is a list. */
export function dstu2Name(human: HumanName) {
  return { ...name(human), family: [human.family] };
}

/** An instant with seconds, the usual precision of `dateTime` elements. */
export function dateTime(at: Date): string {
  return at.toISOString().replace(/\.\d{3}Z$/, '+00:00');
}

export function date(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The base URL of the code systems of FHIR: it changed with R4. */
export function hl7System(release: 'dstu2' | 'stu3' | 'r4', name: string): string {
  return release === 'r4' ? `http://terminology.hl7.org/CodeSystem/${name}` : `http://hl7.org/fhir/${name}`;
}

/** The base URL of the code systems of HL7 version 2 and 3. */
export function hl7VersionSystem(release: 'dstu2' | 'stu3' | 'r4', version: 'v2' | 'v3', name: string): string {
  return release === 'r4'
    ? `http://terminology.hl7.org/CodeSystem/${version}-${name}`
    : `http://hl7.org/fhir/${version}/${name}`;
}
