import { z } from 'zod';

const text = z.string().trim().min(1).max(1000);
const texts = z
  .union([text, z.array(z.unknown())])
  .transform((given) => [given].flat().flatMap((one) => text.safeParse(one).data ?? []));
const humanName = z.object({
  use: z.string().optional().catch(undefined),
  text: text.optional().catch(undefined),
  /** A list in DSTU2. */
  family: texts.optional().catch(undefined),
  given: texts.optional().catch(undefined),
});
const identifier = z.object({ system: text, value: text });

/** What tells who a Patient of a health system is, in each release. What is not valid is left out. */
const identifyingElements = z.object({
  birthDate: z
    .string()
    .regex(/^\d{4}(-\d\d){0,2}/)
    .transform((date) => date.slice(0, 10))
    .optional()
    .catch(undefined),
  name: listOf(humanName),
  identifier: listOf(identifier),
});

function listOf<T>(element: z.ZodType<T>) {
  return z
    .array(z.unknown())
    .catch([])
    .default([])
    .transform((list) => list.slice(0, maxValues).flatMap((one) => element.safeParse(one).data ?? []));
}

/** Names and identifiers that are compared. */
const maxValues = 50;

/** Whose record it is at a health system, as far as the health system tells. */
export const person = z.object({
  /** The name to show. */
  name: z.string().optional(),
  /** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
  birthDate: z.string().optional(),
  /** For comparison: first given name and family name, in a form that does not depend on the spelling. */
  names: z.array(z.string()),
  /** For comparison: `<system>|<value>`. */
  identifiers: z.array(z.string()),
});
export type Person = z.infer<typeof person>;

/** @param patient a Patient of any release */
export function personOf(patient: unknown): Person {
  const { birthDate, name, identifier: identifiers } = identifyingElements.parse(patient);
  const shown = name.find(({ use }) => use === 'official') ?? name.find(({ use }) => use !== 'old') ?? name[0];
  return {
    name: shown && (shown.text ?? ([...(shown.given ?? []), ...(shown.family ?? [])].join(' ') || undefined)),
    birthDate,
    names: [...new Set(name.flatMap((one) => comparableName(one) ?? []))],
    identifiers: [...new Set(identifiers.map(({ system, value }) => `${system}|${value}`))],
  };
}

/**
 * Whether two Patients are two people: their birth dates differ, or they have neither an identifier nor a name in
 * common. A name is the first given name and the family name: those of twins differ. Nothing is said of a Patient about
 * whom a health system tells too little.
 */
export function isOtherPerson(one: Person, other: Person): boolean {
  if (one.birthDate !== undefined && other.birthDate !== undefined) {
    // As far as both are known.
    const length = Math.min(one.birthDate.length, other.birthDate.length);
    if (one.birthDate.slice(0, length) !== other.birthDate.slice(0, length)) return true;
  }
  const [hasCommonName, hasCommonIdentifier] = [
    one.names.some((name) => other.names.includes(name)),
    one.identifiers.some((id) => other.identifiers.includes(id)),
  ];
  return one.names.length > 0 && other.names.length > 0 && !hasCommonName && !hasCommonIdentifier;
}

/** Undefined when the name has one word, or none. */
function comparableName({ text: whole, family, given }: z.output<typeof humanName>): string | undefined {
  const words = wordsOfName(family && given ? `${given.join(' ')} ${family.join(' ')}` : (whole ?? ''));
  const [first, last] = [words[0], family && given ? wordsOfName(family.join(' ')).join('') : words.at(-1)];
  return words.length < 2 || first === undefined || last === undefined ? undefined : `${first} ${last}`;
}

/** The words of a name for comparison: without case, accents and punctuation. */
export function wordsOfName(name: string): string[] {
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}'’.]/gu, '')
    .toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
