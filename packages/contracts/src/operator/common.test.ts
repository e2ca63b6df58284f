import { listCursor, searchedText, uuidListCursor } from './common';

const time = '2026-01-02T03:04:05.000006Z';

it('takes the cursors that a list makes only', () => {
  const accepts = (text: string): boolean[] =>
    [listCursor, uuidListCursor].map((cursor) => cursor.safeParse(text).success);
  expect(accepts(`${time}_0199d0a0-0000-7000-8000-000000000000`)).toEqual([true, true]);
  expect(accepts(`${time}_live_1`)).toEqual([true, false]);
  expect(accepts(`0000${time.slice(4)}_live_1`)).toEqual([false, false]);
});

it('searches for text without control characters', () => {
  expect(['a b', '', 'a\0'].map((text) => searchedText.safeParse(text).success)).toEqual([true, false, false]);
});
