import type { Release } from '@tributary/fhir-definitions';
import { type Paths, typePaths } from './operations';
import { refs } from './parameters';
import { headerRefs } from './responses';

const file = { '*/*': { schema: { type: 'string', description: 'The content of the file.' } } };

interface Operation {
  description: string;
  parameters: object[];
  requestBody?: { content: object };
  responses: Record<string, { description?: string; headers?: object; content?: object }>;
}

/**
 * The operations of Binary: those of every type, with the content in its own media type in and out
 * (https://hl7.org/fhir/R4/binary.html).
 */
export function binaryPaths(release: Release): Paths {
  const paths = typePaths({
    release,
    path: '/Binary',
    name: 'Binary',
    exampleType: 'Binary',
    schema: 'Binary',
    tag: 'Binary',
    inPath: [],
  }) as Record<string, Record<string, Operation>>;
  for (const operation of [paths['/Binary']?.['post'], paths['/Binary/{id}']?.['put']]) {
    if (!operation?.requestBody) continue;
    operation.description += ' The body can be the content itself, in any other media type.';
    operation.parameters.push(...refs('SecurityContext'));
    operation.requestBody.content = { ...operation.requestBody.content, ...file };
  }
  const read = paths['/Binary/{id}']?.['get'];
  const found = read?.responses['200'];
  if (!read || !found) return paths;
  read.description =
    'The content in its own media type, unless `Accept` names FHIR JSON with at least the same weight.';
  read.parameters.push(...refs('Range'));
  const headers = headerRefs(['ETag', 'Last-Modified', 'Content-Disposition', 'Content-Range', 'X-Security-Context']);
  read.responses['200'] = { ...found, headers, content: { ...found.content, ...file } };
  read.responses['206'] = { description: 'The range of the content.', headers, content: file };
  return paths;
}
