import { type PostalAddress, isInUnitedStates } from '../directory/directory-entry';
import type { PublishedAddress } from './brands-format';

const maxLength = 300;

/** Reads a published address without its empty fields; undefined when it says nothing of a location. */
export function readPostalAddress(published: PublishedAddress): PostalAddress | undefined {
  const address: PostalAddress = {};
  for (const field of ['text', 'city', 'state', 'postalCode', 'country'] as const) {
    const value = tidy(published[field]);
    if (value) address[field] = value;
  }
  const line = published.line.map(tidy).filter((one): one is string => !!one);
  if (line.length > 0) address.line = line;
  return address.text || address.line || address.city || address.state || address.postalCode ? address : undefined;
}

/** Formats an address as one line, at most 300 characters; the country only when it is not the United States. */
export function addressText(address: PostalAddress | undefined): string {
  if (!address) return '';
  if (address.text) return address.text.slice(0, maxLength);
  const region = [address.state, address.postalCode].filter(Boolean).join(' ');
  const country = isInUnitedStates(address.country) ? undefined : address.country;
  return [...(address.line ?? []), address.city, region, country].filter(Boolean).join(', ').slice(0, maxLength);
}

/**
 * Replaces runs of white space by one space, and trims the text. Control characters and halves of surrogate pairs count
 * as white space: PostgreSQL stores no NUL, and no half in JSON.
 */
export function tidy(text: string): string;
export function tidy(text: string | undefined): string | undefined;
export function tidy(text: string | undefined): string | undefined {
  return text?.replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ').trim();
}
