import { type FhirVersion, releasesNewestFirst } from '@tributary/contracts';
import { headingText, statusCode } from '../fhir/concepts';
import { type Node, at, textAt } from '../fhir/json';
import { beginningOf } from '../fhir/values';
import { type Joinable, type Joined, joinReleases, referencesText } from '../record/join-releases';
import { type Position, comparePositions, noTime } from '../record/paging';
import { type Found, readAll, referenceOf } from '../record/read-all';
import type { RecordApi } from '../record/record-api';
import { sourceOf } from '../record/source';
import type { Details, CategorySearch, RecordCategory } from './record-category';

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

/** The period of the entries, each end as far as it is stated. */
export interface Period {
  since?: string | undefined;
  until?: string | undefined;
}

/**
 * The entries of a category in the record, of all releases, joined and sorted.
 * @param period limits what is read where the record can be searched by it; entries out of it can be there
 */
export async function listEntries(api: RecordApi, category: RecordCategory, period: Period = {}): Promise<Listing> {
  const searches = releasesNewestFirst.flatMap((release) =>
    category.searches[release].map((search) => ({ release, type: search.type, query: queryOf(search, period) })),
  );
  const { readings, reported } = await readAll(api, searches, maxResources, async (page) => {
    const referenced = await readReferenced(api, category, page);
    return page.map((each) => {
      if (isEnteredInError(each.resource)) return 'entered in error';
      const details = category.read(each.resource, (reference) => referenced.get(`${each.release}/${reference}`));
      return details && joinableOf(each, details);
    });
  });
  const read = readings.flatMap(({ items }) => items);
  const inError = read.filter((each) => each === 'entered in error').length;
  const entries = joinReleases(read.filter((each) => typeof each === 'object')).map(entryOf);
  entries.sort((one, other) => comparePositions(one.position, other.position));
  return {
    entries,
    notes: [
      ...(inError > 0 ? [`${inError} resources that were entered in error are left out.`] : []),
      ...readings.flatMap(({ search: { release, type }, count, cutOff }) =>
        cutOff === undefined
          ? []
          : [
              `Only the newest ${count} resources of ${release}/${type} were read${cutOff === 'size' ? ', because they are large' : ''}; more exist. Use search_fhir to find a certain one.`,
            ],
      ),
      ...reported,
    ],
  };
}

function isEnteredInError(resource: Node): boolean {
  return [textAt(resource, 'status'), statusCode(at(resource, 'verificationStatus'))].includes('entered-in-error');
}

/** Newest first, so that what is not read is the oldest. */
function queryOf({ sort, date }: CategorySearch, { since, until }: Period): string {
  const parameters = new URLSearchParams({ _sort: sort.map((parameter) => `-${parameter}`).join(',') });
  if (date !== undefined && since !== undefined) parameters.append(date, `ge${since}`);
  if (date !== undefined && until !== undefined) parameters.append(date, `le${until}`);
  return parameters.toString();
}

const idsPerSearch = 50;

/** The resources that the entries of a page refer to, by release and reference. They are read as they are stored. */
async function readReferenced(
  api: RecordApi,
  { referenced }: RecordCategory,
  page: readonly Found[],
): Promise<Map<string, Node>> {
  const resources = new Map<string, Node>();
  if (!referenced) return resources;
  const { type, idsOf } = referenced;
  const readRelease = async (release: FhirVersion): Promise<void> => {
    const own = page.filter((each) => each.release === release);
    const ids = [...new Set(own.flatMap(({ resource }) => idsOf(resource)))];
    for (let from = 0; from < ids.length; from += idsPerSearch) {
      const query = `_count=${idsPerSearch}&_id=${ids.slice(from, from + idsPerSearch).join(',')}`;
      const { matches } = await api.search(release, type, query, 'native');
      for (const resource of matches) resources.set(referenceOf(release, resource), resource);
    }
  };
  await Promise.all(releasesNewestFirst.map(readRelease));
  return resources;
}

/** What is kept of a resource. */
type Readable = Joinable & Omit<Details, 'sameness'>;

function joinableOf({ resource, release, reference }: Found, details: Details): Readable {
  const { date = '', sameness = '' } = details;
  return {
    ...details,
    reference,
    release,
    source: sourceOf(resource),
    sameness: JSON.stringify([textAt(resource, 'resourceType'), date.slice(0, 10), sameness]),
  };
}

function entryOf(joined: Joined<Readable>): Entry {
  const { entry, alsoIn } = joined;
  const { reference, source, name, codes, date, isCurrent, fields } = entry;
  const time = beginningOf(date);
  const known = Object.fromEntries(
    Object.entries({ ...fields, source: source?.host }).filter(([, value]) => value !== undefined),
  );
  const said = Object.entries(known)
    .filter(([label]) => label !== 'source')
    .map(([label, value]) => `${label.replaceAll('_', ' ')}: ${value}`);
  return {
    data: { reference, also_in: alsoIn, name, codes, ...known },
    text: `${headingText(entry)}${said.map((each) => `; ${each}`).join('')} [${referencesText(joined)}]`,
    position: [isCurrent === true ? 0 : 1, time ?? noTime, reference],
    isCurrent,
    time,
  };
}
