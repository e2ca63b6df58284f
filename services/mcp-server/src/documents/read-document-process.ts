// The program of a process of its own: a document from a health system can be wrong or hostile, and parsing it can take
// any amount of time and memory. It reads the document from standard input and writes its text to standard output. The
// process that started this one ends it.
import { buffer } from 'node:stream/consumers';
import { textOfCda, textOfHtml } from './markup';
import { textOfPdf } from './read-pdf';
import { textOfRtf } from './rtf';
import type { LimitedText } from './text-layout';

const readers: ReadonlyMap<string, (content: Buffer) => LimitedText | Promise<LimitedText>> = new Map(
  Object.entries({
    pdf: textOfPdf,
    rtf: (content) => textOfRtf(content.toString('latin1')),
    html: (content) => textOfHtml(content.toString()),
    cda: (content) => textOfCda(content.toString()),
  }),
);

async function main(format = ''): Promise<void> {
  const text = await readers.get(format)?.(await buffer(process.stdin));
  process.stdout.write(JSON.stringify(text), () => process.exit(0));
}

main(process.argv[2]).catch(() => process.exit(1));
