const reference = /"(?:reference|url)"\s*:\s*"([A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64})(?:\/_history\/[^"]*)?"/g;
const link = /("(?:reference|url)"\s*:\s*)"((?:urn:|https?:|[A-Z][A-Za-z]+\?)[^"]+)"/g;

/** The relative references (`Type/id`) in the text of a resource: `reference` elements and the URLs of attachments. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(reference)].map((match) => match[1]!);
}

/** The resources that these resources refer to, transitively, by their references. */
export function referredToBy<Found extends { text: string }>(
  resources: { text: string }[],
  find: (reference: string) => Found | undefined,
): Map<string, Found> {
  const found = new Map<string, Found>();
  const open = [...resources];
  for (let resource = open.pop(); resource; resource = open.pop()) {
    for (const reference of referencesIn(resource.text)) {
      const target = find(reference);
      if (!target || found.has(reference)) continue;
      found.set(reference, target);
      open.push(target);
    }
  }
  return found;
}

/** Replaces links within a Bundle (`urn:uuid:…`, `Type?identifier=…`) by `Type/id`; unknown links stay as they are. */
export function withLinksResolved(text: string, resolve: (link: string) => string | undefined): string {
  return text.replace(link, (whole, name: string, target: string) => {
    const resolved = resolve(target);
    return resolved === undefined ? whole : `${name}"${resolved}"`;
  });
}
