import { type LimitedText, limitedText, maxTextLength } from './text-layout';

export interface PdfText extends LimitedText {
  pages: number;
}

/**
 * The text of a PDF, page by page; empty when no page has text.
 * @throws when it is damaged or encrypted
 */
export async function textOfPdf(content: Buffer): Promise<PdfText> {
  const { getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(new Uint8Array(content), { verbosity: 0 });
  const pages: string[] = [];
  let length = 0;
  let hasText = false;
  for (let number = 1; number <= document.numPages && length <= maxTextLength; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items
      .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
      .join('')
      .trim();
    page.cleanup();
    hasText ||= text !== '';
    pages.push(`[page ${number} of ${document.numPages}]\n${text}`);
    length += text.length;
  }
  return { ...limitedText(hasText ? pages.join('\n\n') : ''), pages: document.numPages };
}
