import { z } from 'zod';

/** The account of an operator in the console, for the audit log of the service that does what the operator asks. */
export const operatorId = z.uuid();

/** Entries of a page of a list of the operator. */
export const operatorPageSize = 50;

/** Where the next page of a list begins: after the entry of this time and id. */
export const listCursor = z
  .string()
  // PostgreSQL has no year 0.
  .regex(/^(?!0000)[^_]+_[A-Za-z0-9._~-]{1,128}$/)
  .refine((text) => z.iso.datetime({ precision: 6 }).safeParse(text.slice(0, text.indexOf('_'))).success);

/** `listCursor` of a list whose ids are UUIDs. */
export const uuidListCursor = listCursor.refine(
  (text) => z.uuid().safeParse(text.slice(text.indexOf('_') + 1)).success,
);

/** What a list of the operator is searched for: a part of the name, or of the id. PostgreSQL stores no NUL. */
export const searchedText = z.string().regex(/^\P{Cc}{1,200}$/u);
