import { releasesNewestFirst } from '@tributary/contracts';
import { z } from 'zod';
import { conceptName } from '../fhir/concepts';
import { type Node, at, nodesAt, textAt } from '../fhir/json';
import { allergies } from '../categories/allergies';
import { documents } from '../categories/documents';
import { encounters } from '../categories/encounters';
import { immunizations } from '../categories/immunizations';
import { type Listing, listEntries } from '../categories/list-entries';
import { medications } from '../categories/medications';
import { problems } from '../categories/problems';
import { procedures } from '../categories/procedures';
import type { RecordCategory } from '../categories/record-category';
import { type Group, readMeasurements } from '../observations/read-measurements';
import { groupBySeries, sortTimeOf } from '../observations/series';
import { narrowToPerson } from '../record/people';
import { readAll } from '../record/read-all';
import type { RecordApi } from '../record/record-api';
import { readRecordState } from '../record/record-state';
import { defineTool, notes, patient, withNotes } from './tool';

const patientSummary = z.object({
  reference: z.string(),
  name: z.string().optional(),
  birth_date: z.string().optional(),
  gender: z.string().optional(),
  deceased: z.string().optional(),
  language: z.string().optional(),
});

const entry = z.object({ reference: z.string(), text: z.string() });

const section = z.object({
  title: z.string(),
  total: z.int().describe('How many entries the record has.'),
  entries: z.array(entry).describe('The first of them.'),
  tool: z.string().describe('The tool that lists all of them.'),
});

/** The sections, each with how many of its entries are shown. Current entries come first in all of them. */
const categories: readonly { category: RecordCategory; shown: number; currentOnly: boolean }[] = [
  { category: problems, shown: 20, currentOnly: true },
  { category: medications, shown: 20, currentOnly: true },
  { category: allergies, shown: 20, currentOnly: true },
  { category: immunizations, shown: 5, currentOnly: false },
  { category: procedures, shown: 5, currentOnly: false },
  { category: encounters, shown: 5, currentOnly: false },
  { category: documents, shown: 5, currentOnly: false },
];
const groups: readonly { group: Group; title: string; tool: string; shown: number }[] = [
  { group: 'laboratory', title: 'Latest laboratory results', tool: 'list_lab_results', shown: 15 },
  { group: 'vital signs', title: 'Latest vital signs', tool: 'list_vital_signs', shown: 10 },
];
/** Observations that are read for each group and release: the latest suffice. */
const maxObservations = 300;
const maxPatients = 20;
/** The types that the summary is about. */
const types = new Set([
  'Patient',
  'Observation',
  ...releasesNewestFirst.flatMap((release) =>
    categories.flatMap(({ category }) => category.searches[release].map(({ type }) => type)),
  ),
]);

export const getPatientSummary = defineTool({
  name: 'get_patient_summary',
  title: 'Patient summary',
  description:
    'An overview of the record: who the patient is, current problems, medications and allergies, the latest results, vital signs, immunizations, procedures, encounters and documents, and how fresh the record is. Begin with it. It shows the first entries of each section; the tool that each section names lists all of them.',
  input: z.strictObject({ patient }),
  output: z.object({
    patient: patientSummary.optional(),
    sections: z.array(section),
    notes,
  }),
  async run({ patient: named }, api) {
    const whose = await narrowToPerson(api, named);
    const [read, listed, measured, state] = await Promise.all([
      readPatient(api),
      Promise.all(categories.map(async (each) => ({ ...each, listing: await listEntries(api, each.category) }))),
      Promise.all(groups.map((each) => measuredSection(api, each))),
      readRecordState(api, types),
    ]);
    const sections = listed.map(listedSection);
    sections.splice(3, 0, ...measured.map((each) => each.section));
    const listings = [...listed.map(({ listing }) => listing), ...measured];
    const noted = [...new Set([...whose, ...state, ...read.notes, ...listings.flatMap((each) => each.notes)])];
    const lines = sections.flatMap(({ title, total, entries, tool }) => [
      '',
      `${title} (${entries.length < total ? `${entries.length} of ${total}; ${tool} has the rest` : total})`,
      ...entries.map(({ text }) => text),
    ]);
    return {
      text: withNotes([read.text, ...lines], noted, undefined),
      data: { patient: read.data, sections, notes: noted },
    };
  },
});

function listedSection({
  category,
  shown,
  currentOnly,
  listing: { entries },
}: (typeof categories)[number] & { listing: Listing }): z.output<typeof section> {
  const kept = currentOnly ? entries.filter(({ isCurrent }) => isCurrent !== false) : entries;
  return {
    title: `${currentOnly ? 'Current ' : 'Latest '}${category.noun}`,
    total: kept.length,
    entries: kept.slice(0, shown).map(({ data, text }) => ({ reference: data.reference, text })),
    tool: category.tool,
  };
}

async function measuredSection(
  api: RecordApi,
  { group, title, tool, shown }: (typeof groups)[number],
): Promise<{ section: z.output<typeof section>; notes: string[] }> {
  const { values, notes: said } = await readMeasurements(api, group, {}, maxObservations);
  const series = groupBySeries(values).flatMap(({ name, codes, values: [latest] }) =>
    latest ? [{ name, codes, latest }] : [],
  );
  series.sort((one, other) => sortTimeOf(other.latest) - sortTimeOf(one.latest));
  return {
    section: {
      title,
      total: series.length,
      entries: series.slice(0, shown).map(({ name, codes, latest: { entry: measurement } }) => ({
        reference: measurement.reference,
        text: `- ${name}${codes[0] ? ` (${codes[0]})` : ''}: ${[measurement.value, measurement.flag].filter(Boolean).join('; ')}, ${measurement.date ?? 'undated'} [${measurement.reference}]`,
      })),
      tool,
    },
    notes: said.map((note) => `${title}: ${note}`),
  };
}

/** The patient of the newest release; others are named, since a record can join several health systems. */
async function readPatient(
  api: RecordApi,
): Promise<{ text: string; data: Record<string, unknown> | undefined; notes: string[] }> {
  const { readings, reported } = await readAll(
    api,
    releasesNewestFirst.map((release) => ({ release, type: 'Patient', query: '' })),
    maxPatients,
    (page) => page.map(({ resource, reference }) => ({ reference, ...patientFields(resource) })),
  );
  const read = readings.flatMap(({ items }) => items);
  const notRead = readings.flatMap(({ search, cutOff }) =>
    cutOff === undefined ? [] : [`Only ${maxPatients} resources of ${search.release}/Patient were read; more exist.`],
  );
  const [first, ...others] = read;
  if (!first) return { text: 'The record has no Patient.', data: undefined, notes: reported };
  const { reference, name = 'unnamed', birth_date, gender, deceased, language } = first;
  const said = [
    birth_date && `born ${birth_date}`,
    gender,
    deceased && `deceased ${deceased}`,
    language && `speaks ${language}`,
  ];
  const different = others.filter(
    (other) => other.birth_date !== birth_date || other.name?.toLowerCase() !== first.name?.toLowerCase(),
  );
  return {
    text: [`Patient: ${name}`, ...said.filter(Boolean)].join(', ') + ` [${reference}]`,
    data: first,
    notes: [
      ...(different.length === 0
        ? []
        : [
            `The record has ${read.length} Patient resources, of which ${different.length} have another name or birth date: ${different.map((each) => each.reference).join(', ')}.`,
          ]),
      ...notRead,
      ...reported,
    ],
  };
}

function patientFields(patient: Node): Omit<z.output<typeof patientSummary>, 'reference'> {
  const names = nodesAt(patient, 'name');
  const official = names.find(({ use }) => use === 'official') ?? names[0];
  const given = at(official, 'given');
  const name =
    textAt(official, 'text') ??
    [...(Array.isArray(given) ? given.filter((each) => typeof each === 'string') : []), textAt(official, 'family')]
      .filter(Boolean)
      .join(' ');
  const languages = nodesAt(patient, 'communication');
  const preferred = languages.find((each) => each['preferred'] === true) ?? languages[0];
  return {
    name: name === '' ? undefined : name,
    birth_date: textAt(patient, 'birthDate'),
    gender: textAt(patient, 'gender'),
    deceased: textAt(patient, 'deceasedDateTime') ?? (at(patient, 'deceasedBoolean') === true ? 'yes' : undefined),
    language: conceptName(at(preferred, 'language')),
  };
}
