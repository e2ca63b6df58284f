import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findCommandProblem } from './commands';
import { namesFile } from './file-names';
import { type Mention, anchorsOf, readMarkdown } from './read-markdown';
import type { Repository } from './repository';

export interface Problem {
  /** Counted from 1. */
  line: number;
  problem: string;
}

/**
 * Finds what a Markdown file names and the repository lacks. Addresses of other hosts are not requested.
 * @param path of the Markdown file, relative to the root
 */
export function findProblems(path: string, text: string, repository: Repository): Problem[] {
  return readMarkdown(text).flatMap((mention) => {
    const problem = problemOf(mention, path, text, repository);
    return problem === undefined ? [] : [{ line: mention.line, problem }];
  });
}

function problemOf(mention: Mention, path: string, text: string, repository: Repository): string | undefined {
  const folder = posix.dirname(path);
  switch (mention.kind) {
    case 'link':
      return findLinkProblem(mention.text, path, text, repository);
    case 'command':
      return findCommandProblem(mention.text, { folder, workingFolder: mention.workingFolder }, repository);
    case 'code':
      return (
        findCommandProblem(mention.text, { folder, workingFolder: undefined }, repository) ??
        (namesFile(mention.text, folder, repository) === false ? `there is no file ${mention.text}` : undefined)
      );
  }
}

function findLinkProblem(target: string, path: string, text: string, repository: Repository): string | undefined {
  if (/^[a-z]+:/.test(target)) return URL.canParse(target) ? undefined : `the address ${target} is malformed`;
  const [file = '', anchor] = target.split('#');
  const linked = file === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(file));
  if (!repository.paths.has(linked) && !repository.paths.has(`${linked.replace(/\/$/, '')}/`))
    return `the link ${target} leads to no file`;
  if (anchor === undefined || !linked.endsWith('.md')) return undefined;
  const anchors = anchorsOf(linked === path ? text : readFileSync(join(repository.root, linked), 'utf8'));
  return anchors.has(anchor) ? undefined : `the link ${target} leads to no heading`;
}
