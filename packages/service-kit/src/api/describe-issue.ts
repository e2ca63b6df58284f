import type { z } from 'zod';

/**
 * What is wrong with an input, without its value; the field precedes it in the message. Zod's own texts are not shown.
 */
type Issue = Parameters<z.core.$ZodErrorMap>[0];

const kinds = new Map(
  Object.entries({
    string: 'a string',
    number: 'a number',
    int: 'an integer',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    record: 'an object',
    null: 'null',
  }),
);

const formats = new Map(
  Object.entries({
    uuid: 'a UUID',
    guid: 'a UUID',
    url: 'a URL',
    datetime: 'a date and time of ISO 8601, such as 2026-01-31T12:00:00Z',
    date: 'a date of ISO 8601, such as 2026-01-31',
    email: 'an email address',
  }),
);

/**
 * The wording of issues whose schema has no message of its own.
 * @param issue of zod
 * @returns a predicate such as `must be a UUID`
 */
export function describeIssue(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return missing;
      return `must be ${kinds.get(issue.expected) ?? 'of another type'}`;
    case 'invalid_format':
      return `must be ${formats.get(issue.format) ?? 'in another format'}`;
    case 'invalid_value':
      return issue.input === undefined ? missing : `must be ${enumeration(issue.values.map(String))}`;
    case 'too_small':
      return describeLimit(issue.origin, 'at least', Number(issue.minimum));
    case 'too_big':
      return describeLimit(issue.origin, 'at most', Number(issue.maximum));
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return issue.input === undefined ? missing : 'is not valid';
  }
}

const missing = 'is missing';

function describeLimit(origin: string, direction: string, limit: number): string {
  if (origin === 'string') return `must have ${direction} ${limit} ${limit === 1 ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set')
    return `must have ${direction} ${limit} ${limit === 1 ? 'item' : 'items'}`;
  return `must be ${direction} ${limit}`;
}

function enumeration(values: readonly string[]): string {
  const last = values.at(-1) ?? '';
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`;
}
