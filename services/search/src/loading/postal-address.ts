import type { PostalAddress } from '../directory/directory-entry';
import type { PublishedAddress } from './brands-format';

const longest = 300;

/** An address without what is empty; undefined when nothing is left. */
export function readPostalAddress(published: PublishedAddress): PostalAddress | undefined {
  const place: PostalAddress = {};
  for (const field of ['text', 'city', 'state', 'postalCode', 'country'] as const) {
    const value = tidy(published[field]);
    if (value) place[field] = value;
  }
  const line = published.line.map(tidy).filter((one): one is string => !!one);
  if (line.length > 0) place.line = line;
  return place.text || place.line || place.city || place.state || place.postalCode ? place : undefined;
}

/** The address as one line of text, as it stands on an envelope; the country only when it is not the United States. */
export function addressText(place: PostalAddress | undefined): string {
  if (!place) return '';
  if (place.text) return place.text.slice(0, longest);
  const region = [place.state, place.postalCode].filter(Boolean).join(' ');
  const country =
    place.country && !/^(us|usa|united states( of america)?)$/i.test(place.country) ? place.country : undefined;
  return [...(place.line ?? []), place.city, region, country].filter(Boolean).join(', ').slice(0, longest);
}

/** Without line breaks, doubled and surrounding white space. */
export function tidy(text: string | undefined): string | undefined {
  return text?.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
