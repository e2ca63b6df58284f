import { z } from 'zod';

/** What a page does not show, or what changes the text after it. Joiners and variation selectors belong to letters. */
const notVisible =
  /[\p{Cc}\p{Surrogate}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** A name that pages show to people: it cannot be blank, nor cover or reorder what stands beside it. */
export function visibleText(maxCharacters: number) {
  const length = `must have 1 to ${maxCharacters} characters`;
  return z
    .string()
    .trim()
    .min(1, length)
    .max(maxCharacters, length)
    .refine((text) => !notVisible.test(text), 'must not contain control characters')
    .refine((text) => /[\p{L}\p{N}]/u.test(text), 'must have a letter or a digit')
    .refine((text) => !/\p{M}{4}/u.test(text), 'must not have more than three marks on a letter');
}
