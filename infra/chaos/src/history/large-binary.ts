/** Content above 1 MB is in the object storage, where there is one. */
const minBytes = 1_100_000;

/** A stored Binary whose whole content follows from its marker, so that a part of another version is noticed. */
export interface LargeBinary {
  readonly resourceType: 'Binary';
  readonly id?: string;
  readonly meta?: { readonly versionId?: string; readonly lastUpdated?: string };
  readonly contentType: 'text/plain';
  readonly data: string;
}

export function largeBinary(marker: string, id: string): LargeBinary {
  return { resourceType: 'Binary', id, contentType: 'text/plain', data: contentOf(marker) };
}

/** The marker of content in base64; undefined when the content is not that of one marker. */
export function markerOf(data: string): string | undefined {
  const beginning = Buffer.from(data.slice(0, 100), 'base64').toString();
  const marker = beginning.slice(0, beginning.indexOf('\n'));
  return data === contentOf(marker) ? marker : undefined;
}

function contentOf(marker: string): string {
  const line = `${marker}\n`;
  return Buffer.from(line.repeat(Math.ceil(minBytes / line.length))).toString('base64');
}
