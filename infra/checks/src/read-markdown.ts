/** Something that a Markdown text names: the target of a link, a code span, or a command of a shell block. */
export interface Mention {
  /** Counted from 1. */
  line: number;
  kind: 'link' | 'code' | 'command';
  text: string;
  /** Of a command: the folder that an earlier `cd` of the same block entered. */
  workingFolder?: string | undefined;
}

const shellLanguages = new Set(['sh', 'bash', 'shell', 'console']);

/** Links, code spans and shell commands of a Markdown text. Blocks in languages other than the shell's are skipped. */
export function readMarkdown(text: string): Mention[] {
  const mentions: Mention[] = [];
  let block: { fence: string; isShell: boolean; workingFolder?: string | undefined } | undefined;
  for (const [index, content] of text.split('\n').entries()) {
    const line = index + 1;
    const [, fence, language = ''] = /^\s*(```+|~~~+)\s*([\w-]*)/.exec(content) ?? [];
    if (fence !== undefined && (!block || fence.startsWith(block.fence))) {
      block = block ? undefined : { fence, isShell: shellLanguages.has(language) };
    } else if (!block) {
      mentions.push(...mentionsOf(content).map((mention) => ({ ...mention, line })));
    } else if (block.isShell) {
      for (const command of commandsOf(content)) {
        mentions.push({ line, kind: 'command', text: command, workingFolder: block.workingFolder });
        block.workingFolder = /^cd\s+(\S+)$/.exec(command)?.[1] ?? block.workingFolder;
      }
    }
  }
  return mentions;
}

function mentionsOf(line: string): Omit<Mention, 'line'>[] {
  const code = [...line.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, text = '']) => ({ kind: 'code' as const, text }));
  const withoutCode = line.replaceAll(/`[^`]*`/g, '');
  const links = [
    ...withoutCode.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...withoutCode.matchAll(/^\[[^\]]+\]:\s+<?([^\s>]+)/g),
  ].map(([, text = '']) => ({ kind: 'link' as const, text }));
  return [...code, ...links];
}

/**
 * The commands of one line of shell: its parts between `&&`, `||`, `;`, `|` and `$(`, without the variables set before
 * them.
 */
function commandsOf(line: string): string[] {
  return line
    .replace(/(^|\s)#.*$/, '')
    .split(/&&|\|\||[;|]|\$\(/)
    .map((part) => part.trim().replace(/^(?:\w+=\S*\s+)+/, ''))
    .filter((part) => part !== '');
}

/** The anchors that GitHub gives to the headings of a Markdown text. */
export function anchorsOf(text: string): Set<string> {
  const uses = new Map<string, number>();
  const anchors = new Set<string>();
  let isCode = false;
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const earlier = uses.get(anchor) ?? 0;
    uses.set(anchor, earlier + 1);
    anchors.add(earlier === 0 ? anchor : `${anchor}-${earlier}`);
  }
  return anchors;
}
