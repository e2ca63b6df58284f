import { type LimitedText, TextLayout } from './text-layout';

/** Groups that are not the text of a document. */
const hiddenGroups = new Set([
  'fonttbl',
  'colortbl',
  'stylesheet',
  'info',
  'pict',
  'object',
  'themedata',
  'listtable',
  'listoverridetable',
  'rsidtbl',
  'generator',
  'datastore',
  'latentstyles',
  'xmlnstbl',
  'header',
  'footer',
  'headerl',
  'headerr',
  'footerl',
  'footerr',
  'fldinst',
]);
const symbols = new Map(
  Object.entries({
    tab: ' ',
    emdash: '—',
    endash: '–',
    bullet: '•',
    lquote: '‘',
    rquote: '’',
    ldblquote: '“',
    rdblquote: '”',
    cell: ' | ',
    nestcell: ' | ',
  }),
);
const breaks = new Set(['par', 'line', 'row', 'sect', 'page', 'nestrow']);

/** A control word with its number, a control symbol, an encoded byte, a brace, or text. */
const tokens = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;
const windows1252 = new TextDecoder('windows-1252');

/** The text of a document in Rich Text Format. Formatting, pictures and headers are left out. */
export function textOfRtf(rtf: string): LimitedText {
  const layout = new TextLayout();
  const groups: { hidden: boolean; fallbackLength: number }[] = [];
  let group = { hidden: false, fallbackLength: 1 };
  /** Characters that stand for a Unicode character in readers without Unicode. */
  let skip = 0;
  const write = (text: string): void => {
    const shown = skip > 0 ? text.slice(skip) : text;
    skip = Math.max(0, skip - text.length);
    if (!group.hidden) layout.write(shown);
  };
  for (const [, word, number, byte, symbol, brace, text] of rtf.matchAll(tokens)) {
    if (layout.isFull) break;
    if (brace === '{') {
      groups.push(group);
      group = { ...group };
      skip = 0;
    } else if (brace === '}') {
      group = groups.pop() ?? group;
      skip = 0;
    } else if (word !== undefined) {
      if (hiddenGroups.has(word)) group.hidden = true;
      else if (word === 'uc') group.fallbackLength = Number(number ?? 1);
      else if (word === 'u') {
        write(String.fromCharCode(((Number(number) % 65_536) + 65_536) % 65_536));
        skip = group.fallbackLength;
      } else if (breaks.has(word)) {
        if (!group.hidden) layout.endLine();
      } else write(symbols.get(word) ?? '');
    } else if (byte !== undefined) write(windows1252.decode(Uint8Array.of(Number.parseInt(byte, 16))));
    else if (symbol === '*') group.hidden = true;
    else if (symbol === '~' || symbol === '_') write(' ');
    else if (symbol !== undefined && '\\{}'.includes(symbol)) write(symbol);
    else if (text !== undefined) write(text);
  }
  return layout.toText();
}
