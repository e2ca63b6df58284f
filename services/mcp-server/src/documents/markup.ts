import { Parser, type ParserOptions } from 'htmlparser2';
import { type LimitedText, TextLayout } from './text-layout';

const hidden = new Set(['script', 'style', 'head', 'template', 'noscript', 'svg']);
const blocks = new Set([
  'p',
  'div',
  'section',
  'article',
  'header',
  'footer',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'table',
  'pre',
  'blockquote',
  'dl',
  'body',
  // Blocks of the narrative of CDA.
  'paragraph',
  'list',
  'caption',
  'footnote',
]);
const lines = new Set(['tr', 'li', 'item', 'dt', 'dd', 'br', 'hr', 'thead', 'tbody']);
const cells = new Set(['td', 'th']);
const items = new Set(['li', 'item']);

/** Writes elements of HTML, or of the narrative of CDA, as text: a line for each row and item. */
class MarkupWriter {
  #hidden = 0;
  #cellsOfRow = 0;

  constructor(readonly layout: TextLayout) {}

  open(name: string): void {
    if (hidden.has(name)) this.#hidden++;
    if (blocks.has(name)) this.layout.endBlock();
    else if (lines.has(name)) this.layout.endLine();
    if (name === 'tr') this.#cellsOfRow = 0;
    if (cells.has(name) && this.#cellsOfRow++ > 0) this.layout.write(' | ');
    if (items.has(name)) this.layout.write('- ');
  }

  text(text: string): void {
    if (this.#hidden === 0) this.layout.write(text);
  }

  close(name: string): void {
    if (hidden.has(name)) this.#hidden = Math.max(0, this.#hidden - 1);
    if (blocks.has(name)) this.layout.endBlock();
    else if (lines.has(name)) this.layout.endLine();
  }
}

/** The text of an HTML document. */
export function textOfHtml(html: string): LimitedText {
  const writer = new MarkupWriter(new TextLayout());
  return parse(writer, {}, html, writer.layout);
}

const chunkLength = 65_536;
/** The time for an element grows with its depth. */
const maxDepth = 10_000;

/** Parses a document until its layout is full, or its elements are nested too deep. */
function parse(
  handler: Pick<MarkupWriter, 'open' | 'text' | 'close'>,
  options: ParserOptions,
  text: string,
  layout: TextLayout,
): LimitedText {
  let depth = 0;
  let isTooDeep = false;
  const parser = new Parser(
    {
      onopentagname: (name) => {
        depth++;
        isTooDeep ||= depth > maxDepth;
        handler.open(name);
      },
      ontext: (piece) => handler.text(piece),
      onclosetag: (name) => {
        depth--;
        handler.close(name);
      },
    },
    options,
  );
  for (let start = 0; start < text.length && !layout.isFull && !isTooDeep; start += chunkLength)
    parser.write(text.slice(start, start + chunkLength));
  parser.end();
  const { text: read, isCutOff } = layout.toText();
  return { text: read, isCutOff: isCutOff || isTooDeep };
}

/**
 * The narrative of a CDA document (https://hl7.org/cda/): its title, and the title and text of each section. The coded
 * entries are left out; the narrative says the same for human readers.
 */
export function textOfCda(xml: string): LimitedText {
  const layout = new TextLayout();
  const writer = new MarkupWriter(layout);
  const path: string[] = [];
  /** The depth at which the narrative of a section began; 0 outside. */
  let narrative = 0;
  const isTitle = (): boolean => path.at(-1) === 'title' && ['section', 'clinicaldocument'].includes(path.at(-2) ?? '');
  const handler = {
    open: (qualified: string): void => {
      const name = localName(qualified);
      path.push(name);
      if (narrative > 0) writer.open(name);
      else if (name === 'text' && path.at(-2) === 'section') narrative = path.length;
      else if (isTitle()) {
        layout.endBlock();
        layout.write(path.at(-2) === 'section' ? '## ' : '# ');
      }
    },
    text: (text: string): void => {
      if (narrative > 0 || isTitle()) writer.text(text);
    },
    close: (qualified: string): void => {
      if (narrative === path.length || isTitle()) layout.endBlock();
      if (narrative === path.length) narrative = 0;
      else if (narrative > 0) writer.close(localName(qualified));
      path.pop();
    },
  };
  return parse(handler, { xmlMode: true }, xml, layout);
}

function localName(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1).toLowerCase();
}

/** Whether XML is a CDA document. */
export function isCda(xml: string): boolean {
  return /<(\w+:)?ClinicalDocument[\s>]/.test(xml.slice(0, 4000));
}
