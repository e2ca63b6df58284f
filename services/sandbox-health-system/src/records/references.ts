const reference = /"(?:reference|url)"\s*:\s*"([A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64})(?:\/_history\/[^"]*)?"/g;
const link = /("(?:reference|url)"\s*:\s*)"((?:urn:|https?:|[A-Z][A-Za-z]+\?)[^"]+)"/g;

/** The relative references (`Type/id`) in the text of a resource: `reference` elements and the URLs of attachments. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(reference)].map((match) => match[1]!);
}

/** Replaces links within a Bundle (`urn:uuid:…`, `Type?identifier=…`) by `Type/id`; unknown links stay as they are. */
export function withLinksResolved(text: string, resolve: (link: string) => string | undefined): string {
  return text.replace(link, (whole, name: string, target: string) => {
    const resolved = resolve(target);
    return resolved === undefined ? whole : `${name}"${resolved}"`;
  });
}
