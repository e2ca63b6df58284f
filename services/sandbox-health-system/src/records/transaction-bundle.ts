import { afterSpace, elementsAt, membersAt } from './json-text';
import { withLinksResolved } from './references';

/** One entry of a Bundle: the text of the resource, and the `fullUrl`. */
export interface BundledResource {
  text: string;
  fullUrl?: string;
  reference?: string;
}

/** The entries of a Bundle; the text of each resource is kept as it is. */
export function resourcesOfBundle(bundle: string): BundledResource[] {
  const start = afterSpace(bundle, 0);
  const entry = membersAt(bundle, start).find((member) => member.name === 'entry');
  if (!entry) return [];
  return elementsAt(bundle, entry.start).flatMap((element) => bundledResource(bundle, element.start));
}

/**
 * The resources of a Bundle as a server stores them after a transaction: links between the entries become `Type/id`,
 * a resource without an id gets the id of its `fullUrl`. `elsewhere` resolves links to resources of other Bundles.
 */
export function installedResources(
  bundled: BundledResource[],
  elsewhere: (link: string) => string | undefined,
): string[] {
  const byFullUrl = new Map(
    bundled.flatMap(({ fullUrl, reference }) => (fullUrl && reference ? [[fullUrl, reference] as const] : [])),
  );
  return bundled.map(({ text }) => withLinksResolved(text, (link) => byFullUrl.get(link) ?? elsewhere(link)));
}

function bundledResource(bundle: string, start: number): BundledResource[] {
  const members = membersAt(bundle, start);
  const resource = members.find((member) => member.name === 'resource');
  if (!resource) return [];
  const fullUrlMember = members.find((member) => member.name === 'fullUrl');
  const text = bundle.slice(resource.start, resource.end);
  const fullUrl = fullUrlMember && (JSON.parse(bundle.slice(fullUrlMember.start, fullUrlMember.end)) as string);
  return [identified(text, fullUrl)];
}

function identified(text: string, fullUrl: string | undefined): BundledResource {
  const { resourceType, id } = JSON.parse(text) as { resourceType?: string; id?: string };
  const ownId = id ?? fullUrl?.match(/[A-Za-z0-9\-.]{1,64}$/)?.[0];
  const whole = id === undefined && ownId !== undefined ? text.replace('{', `{"id":${JSON.stringify(ownId)},`) : text;
  return {
    text: whole,
    ...(fullUrl === undefined ? {} : { fullUrl }),
    ...(resourceType && ownId ? { reference: `${resourceType}/${ownId}` } : {}),
  };
}
