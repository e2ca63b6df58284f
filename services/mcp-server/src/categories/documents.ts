import { z } from 'zod';
import { conceptCodes, conceptName, conceptNames } from '../fhir/concepts';
import { type Node, at, decimalAt, nodesAt, shortened, textAt } from '../fhir/json';
import { type RecordCategory, optionalText } from './record-category';

const report = { type: 'DiagnosticReport', sort: ['date'] };

/** DocumentReference, and the DiagnosticReports that have a text of their own. */
export const documents: RecordCategory = {
  noun: 'documents',
  tool: 'list_documents',
  title: 'Documents and reports',
  description:
    'Lists clinical notes, reports and other documents (FHIR DocumentReference, and DiagnosticReport with a conclusion or an attached report), newest first. read_document returns the text of one.',
  searches: {
    r4: [{ type: 'DocumentReference', sort: ['date'] }, report],
    stu3: [{ type: 'DocumentReference', sort: ['indexed'] }, report],
    dstu2: [{ type: 'DocumentReference', sort: ['indexed'] }, report],
  },
  fields: z.object({
    date: optionalText,
    description: optionalText,
    category: optionalText,
    status: optionalText.describe('Where it is not current or final.'),
    author: optionalText,
    formats: optionalText.describe('The media types of the attachments.'),
    size: optionalText.describe('Bytes of the first attachment.'),
    conclusion: optionalText,
  }),
  read(resource) {
    const status = textAt(resource, 'status');
    const isReport = resource['resourceType'] === 'DiagnosticReport';
    const attachments = attachmentsOf(resource);
    const conclusion = textAt(resource, 'conclusion');
    if (isReport && attachments.length === 0 && conclusion === undefined) return undefined;
    const concept = at(resource, isReport ? 'code' : 'type');
    const date = isReport
      ? (textAt(resource, 'effectiveDateTime') ??
        textAt(resource, 'effectivePeriod', 'start') ??
        textAt(resource, 'issued'))
      : (textAt(resource, 'context', 'period', 'start') ??
        textAt(resource, 'date') ??
        textAt(attachments[0], 'creation'));
    const name = conceptName(concept) ?? textAt(attachments[0], 'title') ?? 'untitled document';
    const description = textAt(resource, 'description') ?? textAt(attachments[0], 'title');
    const authors = nodesAt(resource, isReport ? 'performer' : 'author').flatMap(
      (author) => textAt(author, 'display') ?? [],
    );
    return {
      name,
      codes: conceptCodes(concept),
      date,
      fields: {
        date,
        description: description === name || description === undefined ? undefined : shortened(description, 200),
        category: conceptNames(nodesAt(resource, 'category')),
        status: status === 'current' || status === 'final' ? undefined : status,
        author: authors.join(', ') || undefined,
        formats: [...new Set(attachments.flatMap((each) => textAt(each, 'contentType') ?? []))].join(', ') || undefined,
        size: decimalAt(attachments[0], 'size'),
        conclusion: conclusion === undefined ? undefined : shortened(conclusion, 300),
      },
    };
  },
};

/** The attachments of a DocumentReference or a DiagnosticReport. */
export function attachmentsOf(resource: Node): Node[] {
  return resource['resourceType'] === 'DiagnosticReport'
    ? nodesAt(resource, 'presentedForm')
    : nodesAt(resource, 'content').flatMap((content) => nodesAt(content, 'attachment'));
}
