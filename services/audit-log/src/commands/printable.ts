const notPrintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A service chooses texts of its events and streams: they must not look like further lines, or control a terminal. */
export function printable(text: string): string {
  return text.replace(notPrintable, '\uFFFD');
}
