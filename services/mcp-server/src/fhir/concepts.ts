import { type Node, nodesAt, shortened, textAt } from './json';

/** The names of common code systems in answers. */
const systemNames = new Map(
  Object.entries({
    'http://loinc.org': 'LOINC',
    'http://snomed.info/sct': 'SNOMED CT',
    'http://www.nlm.nih.gov/research/umls/rxnorm': 'RxNorm',
    'http://hl7.org/fhir/sid/icd-10-cm': 'ICD-10-CM',
    'http://hl7.org/fhir/sid/icd-10': 'ICD-10',
    'http://hl7.org/fhir/sid/icd-9-cm': 'ICD-9-CM',
    'http://hl7.org/fhir/sid/cvx': 'CVX',
    'http://hl7.org/fhir/sid/ndc': 'NDC',
    'http://www.ama-assn.org/go/cpt': 'CPT',
  }),
);

const maxNameLength = 200;
const maxCodes = 4;

/** The name of a CodeableConcept: its text, or the display or code of a coding. */
export function conceptName(concept: unknown): string | undefined {
  const codings = nodesAt(concept, 'coding');
  const name =
    textAt(concept, 'text') ??
    codings.map((coding) => textAt(coding, 'display')).find(Boolean) ??
    codings.map((coding) => textAt(coding, 'code')).find(Boolean);
  return name === undefined ? undefined : shortened(name, maxNameLength);
}

/** The codes of a concept with the names of their systems, such as `LOINC 718-7`; at most four. */
export function conceptCodes(concept: unknown): string[] {
  return nodesAt(concept, 'coding')
    .flatMap((coding) => {
      const code = textAt(coding, 'code');
      if (code === undefined) return [];
      const system = systemNames.get(textAt(coding, 'system') ?? '');
      return [system === undefined ? code : `${system} ${code}`];
    })
    .slice(0, maxCodes);
}

/** The name of an item of a list, with its codes. */
export function headingText({ name, codes }: { name: string; codes: readonly string[] }): string {
  return `- ${name}${codes.length === 0 ? '' : ` (${codes.join(', ')})`}`;
}

/**
 * The value of a token search for a code with the name of its system, such as `LOINC 718-7`, as answers have it;
 * undefined for any other text.
 */
export function tokenOf(text: string): string | undefined {
  for (const [system, name] of systemNames) {
    const code = text.slice(name.length + 1);
    if (text.toLowerCase().startsWith(`${name.toLowerCase()} `) && /^\S+$/.test(code))
      return `${escaped(system)}|${escaped(code)}`;
  }
  return undefined;
}

/** Escapes the separators of search values: https://hl7.org/fhir/R4/search.html#escaping */
export function escaped(value: string): string {
  return value.replaceAll(/[\\$,|]/g, String.raw`\$&`);
}

/** Whether a coding of any of the concepts has one of the codes. */
export function hasCode(concepts: readonly Node[], codes: ReadonlySet<string>): boolean {
  return concepts.some((concept) =>
    nodesAt(concept, 'coding').some((coding) => codes.has(textAt(coding, 'code') ?? '')),
  );
}

/**
 * The code of a concept whose value set is required, such as a clinical status; or the text where there is no coding.
 */
export function statusCode(concept: unknown): string | undefined {
  return textAt(concept, 'coding', 'code') ?? textAt(concept, 'text');
}

/** The names of a list of concepts, joined by commas. */
export function conceptNames(concepts: readonly unknown[]): string | undefined {
  const names = concepts.flatMap((concept) => conceptName(concept) ?? []);
  return names.length === 0 ? undefined : shortened([...new Set(names)].join(', '), maxNameLength * 2);
}

/** The texts of the annotations of a resource. */
export function noteText(resource: Node): string | undefined {
  const texts = nodesAt(resource, 'note').flatMap((note) => textAt(note, 'text') ?? []);
  return texts.length === 0 ? undefined : shortened(texts.join(' / '), 500);
}
