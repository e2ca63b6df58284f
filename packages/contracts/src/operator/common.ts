import { z } from 'zod';

/** The account of an operator in the console, for the audit log of the service that does what the operator asks. */
export const operatorId = z.uuid();

/** Entries of a page of a list of the operator. */
export const operatorPageSize = 50;

/** Where the next page of a list begins: after the entry of this time and id. */
export const listCursor = z
  .string()
  .regex(/^[^_]+_[A-Za-z0-9._~-]{1,128}$/)
  .refine((text) => z.iso.datetime({ precision: 6 }).safeParse(text.slice(0, text.indexOf('_'))).success);

/** What a list of the operator is searched for: a part of the name, or of the id. */
export const searchedText = z.string().min(1).max(200);
