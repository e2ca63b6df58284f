import type { FhirVersion } from '@tributary/contracts';
import { z } from 'zod';
import type { Node } from '../fhir/json';

/** What entries of every category have. */
export const baseEntry = z.object({
  reference: z.string().describe('The resource, for read_fhir_resource: `<release>/<type>/<id>`.'),
  also_in: z.array(z.string()).describe('The same record in other FHIR releases of the same health system.'),
  name: z.string(),
  codes: z.array(z.string()).describe('Codes with their systems.'),
  source: z.string().optional().describe('The host of the health system; absent when the application added the entry.'),
});

/** What a category reads from a resource; the rest of an entry is the same for all categories. */
export interface Details {
  name: string;
  codes: string[];
  /** By which lists are sorted and filtered, as the resource has it. */
  date: string | undefined;
  /** Whether it holds at present, such as an active problem. Undefined when the resource does not say so. */
  isCurrent?: boolean | undefined;
  /** What has to be equal in two releases of one record besides name, code and day. */
  sameness?: string | undefined;
  /** The elements of the answer, of the category's schema. */
  fields: Record<string, string | undefined>;
}

/** A search of one type in one release. */
export interface CategorySearch {
  type: string;
  /** The search parameters by which the newest come first. */
  sort: readonly string[];
  /**
   * The search parameter of the date of the entries. Absent where they take their date from several elements, so that
   * the parameter would miss some.
   */
  date?: string;
}

/** A category of entries that a tool lists. */
export interface RecordCategory {
  /** The noun of messages, in the plural. */
  noun: string;
  tool: string;
  title: string;
  description: string;
  searches: Readonly<Record<FhirVersion, readonly CategorySearch[]>>;
  /** The elements of an entry beside those of every category. */
  fields: z.ZodObject;
  /** What `current_only` keeps; undefined when the category has no such state. */
  current?: string;
  /** Undefined when the resource is in another list. A resource that was entered in error is not read. */
  read(resource: Node, referenced: (reference: string) => Node | undefined): Details | undefined;
  /** The type of resources that entries refer to and cannot be read without, and their ids. */
  referenced?: { type: string; idsOf(resource: Node): string[] };
}

export const optionalText = z.string().optional();

/** The same search in each release. */
export function inEachRelease(...searches: CategorySearch[]): RecordCategory['searches'] {
  return { r4: searches, stu3: searches, dstu2: searches };
}
