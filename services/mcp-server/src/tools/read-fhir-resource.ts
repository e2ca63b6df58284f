import type { FhirVersion } from '@tributary/contracts';
import { type JsonObject, stringifyJson } from '@tributary/fhir-json';
import { z } from 'zod';
import { reduceResource } from '../fhir/reduce';
import { maxAnswerCharacters, partOf } from '../record/paging';
import type { Form, RecordApi } from '../record/record-api';
import { partsOf, resourceReference } from '../record/reference';
import { NotConvertible } from '../record/tool-error';
import { form } from './search-fhir';
import { cursor, defineTool, nextCursor, notes, withNotes } from './tool';

const name = 'read_fhir_resource';

export const readFhirResource = defineTool({
  name,
  title: 'FHIR read',
  description:
    'Reads one resource of the record as JSON by a reference that another tool returned, without narrative and encoded content. A relative reference within a resource, such as Practitioner/1, is read with the release of that resource: r4/Practitioner/1.',
  input: z.strictObject({ reference: resourceReference, form, cursor }),
  output: z.object({
    reference: z.string(),
    resource: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Absent when the resource is too long for one answer.'),
    json: z.string().optional().describe('A part of a long resource as JSON text; next_cursor continues it.'),
    next_cursor: nextCursor,
    notes,
  }),
  async run({ reference, form: as, cursor: from }, api) {
    const { release, type, id } = partsOf(reference);
    const { resource, notes: said } = await readAs(api, release, type, id, as);
    const reduced = reduceResource(resource);
    const json = stringifyJson(reduced);
    if (json.length <= maxAnswerCharacters && from === undefined)
      return { text: withNotes([json], said, undefined), data: { reference, resource: reduced, notes: said } };
    const { text: part, nextCursor: next, range } = partOf(name, json, from, 'resource');
    const noted = [...said, `${range} of the JSON.`];
    return {
      text: withNotes([part], noted, next),
      data: { reference, json: part, next_cursor: next, notes: noted },
    };
  },
});

/** A resource in the wanted form, or in its native form where it cannot be converted. */
async function readAs(
  api: RecordApi,
  release: FhirVersion,
  type: string,
  id: string,
  as: Form,
): Promise<{ resource: JsonObject; notes: string[] }> {
  // References of converted prescriptions name the R4 type; the release has another.
  const nativeType = release === 'dstu2' && type === 'MedicationRequest' ? 'MedicationOrder' : type;
  try {
    return { resource: await api.read(release, as === 'r4' ? type : nativeType, id, as), notes: [] };
  } catch (error) {
    if (as !== 'r4' || !(error instanceof NotConvertible)) throw error;
    const resource = await api.read(release, nativeType, id, 'native');
    return { resource, notes: [`The resource cannot be converted to R4: this is its native form of ${release}.`] };
  }
}
