const reference = /"(?:reference|url)"\s*:\s*"([A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64})(?:\/_history\/[^"]*)?"/g;
const link = /("(?:reference|url)"\s*:\s*)"((?:urn:|https?:|[A-Z][A-Za-z]+\?)[^"]+)"/g;

/** The relative references (`Type/id`) of a resource's text: its `reference` elements and the addresses of its attachments. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(reference)].map((match) => match[1]!);
}

/** Writes the links within a Bundle (`urn:uuid:…`, `Type?identifier=…`) as the references they mean; the unknown stay as they are. */
export function withLinksResolved(text: string, resolve: (link: string) => string | undefined): string {
  return text.replace(link, (whole, name: string, target: string) => {
    const resolved = resolve(target);
    return resolved === undefined ? whole : `${name}"${resolved}"`;
  });
}
