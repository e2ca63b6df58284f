import type { FhirVersion } from '@tributary/contracts';
import { type Node, textAt } from '../fhir/json';
import { timeOf } from '../fhir/values';
import { joinReleases } from '../record/join-releases';
import { type Position, comparePositions } from '../record/paging';
import { type Found, readAll, referenceOf, sourceOf } from '../record/read-all';
import type { RecordApi } from '../record/record-api';
import { releases } from '../record/releases';
import type { Details, RecordKind } from './record-kind';

/** An entry of an answer: as data, as a line of text, and where it stands in the list. */
export interface Entry {
  data: { reference: string; name: string; codes: string[] } & Record<string, unknown>;
  text: string;
  position: Position;
  isCurrent: boolean | undefined;
  time: number | undefined;
}

export interface Listing {
  entries: Entry[];
  notes: string[];
}

/** How many resources of a type and release are read. */
const maxResources = 3000;
/** Sorts after every date. */
const noTime = -8_640_000_000_000_000;

/** Every entry of a kind in the record, of all releases, joined and sorted. */
export async function listEntries(api: RecordApi, kind: RecordKind): Promise<Listing> {
  const searches = releases.flatMap((release) => kind.searches[release].map((search) => ({ release, ...search })));
  const { found, cutOff, reported } = await readAll(api, searches, maxResources);
  const referenced = await readReferenced(api, kind, found);
  let inError = 0;
  const read = found.flatMap((each) => {
    const details = kind.read(each.resource, (reference) => referenced.get(`${each.release}/${reference}`));
    if (details === 'entered in error') inError++;
    return typeof details === 'string' ? [] : [joinableOf(each, details)];
  });
  const entries = joinReleases(read).map(({ entry, alsoIn }) => entryOf(entry, alsoIn));
  entries.sort((one, other) => comparePositions(one.position, other.position));
  return {
    entries,
    notes: [
      ...(inError > 0 ? [`${inError} resources that were entered in error are left out.`] : []),
      ...cutOff.map(
        ({ release, type }) =>
          `Only ${maxResources} resources of ${release}/${type} were read, in no particular order; more exist. Use search_fhir to find a certain one.`,
      ),
      ...reported,
    ],
  };
}

const idsPerSearch = 50;

/** The resources that the entries refer to, by release and reference. They are read as they are stored. */
async function readReferenced(
  api: RecordApi,
  { referenced }: RecordKind,
  found: readonly Found[],
): Promise<Map<string, Node>> {
  const resources = new Map<string, Node>();
  if (!referenced) return resources;
  const { type, referencesOf } = referenced;
  const readRelease = async (release: FhirVersion): Promise<void> => {
    const own = found.filter((each) => each.release === release);
    const ids = [...new Set(own.flatMap(({ resource }) => referencesOf(resource)))].map((each) =>
      each.slice(type.length + 1),
    );
    for (let from = 0; from < ids.length; from += idsPerSearch) {
      const query = `_count=${idsPerSearch}&_id=${ids
        .slice(from, from + idsPerSearch)
        .map(encodeURIComponent)
        .join(',')}`;
      const { matches } = await api.search(release, type, query, 'native');
      for (const resource of matches) resources.set(referenceOf(release, resource), resource);
    }
  };
  await Promise.all(releases.map(readRelease));
  return resources;
}

interface Readable {
  reference: string;
  release: FhirVersion;
  source: string | undefined;
  name: string;
  codes: readonly string[];
  sameness: string;
  details: Details;
  resource: Node;
}

function joinableOf({ resource, release, reference }: Found, details: Details): Readable {
  const { name, codes, date = '', sameness } = details;
  const day = date.slice(0, 10);
  return {
    reference,
    release,
    source: sourceOf(resource),
    name,
    codes,
    sameness: JSON.stringify([textAt(resource, 'resourceType'), day, sameness]),
    details,
    resource,
  };
}

function entryOf({ reference, source, details }: Readable, alsoIn: string[]): Entry {
  const { name, codes, date, isCurrent, fields } = details;
  const time = timeOf(date);
  const known = Object.fromEntries(Object.entries({ ...fields, source }).filter(([, value]) => value !== undefined));
  return {
    data: { reference, also_in: alsoIn, name, codes, ...known },
    text: lineOf(name, codes, known, reference, alsoIn),
    position: [isCurrent === true ? 0 : 1, time ?? noTime, reference],
    isCurrent,
    time,
  };
}

function lineOf(
  name: string,
  codes: readonly string[],
  fields: Record<string, unknown>,
  reference: string,
  alsoIn: readonly string[],
): string {
  const said = Object.entries(fields)
    .filter(([label]) => label !== 'source')
    .map(([label, value]) => `${label.replaceAll('_', ' ')}: ${String(value)}`);
  const other = alsoIn.map((each) => each.split('/')[0]);
  const place = other.length === 0 ? reference : `${reference}, also in ${other.join(' and ')}`;
  return `- ${name}${codes.length === 0 ? '' : ` (${codes.join(', ')})`}${said.length === 0 ? '' : `; ${said.join('; ')}`} [${place}]`;
}
