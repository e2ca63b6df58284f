import type { Problem } from './find-problems';

/** The line width of oxfmt, which wraps code and leaves comments as they are. */
const MAX_LENGTH = 120;

/** Source files with comments. Those that are generated repeat texts of the specification or of the schemas. */
export function hasComments(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) && !/\/tables\/|\/api-types\.ts$/.test(path);
}

/** Finds lines of comments that are too long, except those with a URL, which cannot be wrapped. */
export function findLongComments(text: string): Problem[] {
  let isInBlock = false;
  return text.split('\n').flatMap((line, index) => {
    const begins = /^\s*\/\*/.test(line);
    const isComment = isInBlock || begins || /^\s*\/\//.test(line);
    isInBlock = (isInBlock || begins) && !line.includes('*/');
    const isTooLong = isComment && line.length > MAX_LENGTH && !line.includes('://');
    return isTooLong
      ? [{ line: index + 1, problem: `the comment has ${line.length} characters: wrap it at ${MAX_LENGTH}` }]
      : [];
  });
}
