/** HTML that needs no further escaping. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | undefined | false | readonly Value[];

/** Builds HTML. Inserted texts are escaped, unless they are HTML themselves; `undefined` and `false` insert nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + textOf(values[index])).join(''));
}

/** Escapes text for HTML. */
export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.map((one) => textOf(one)).join('') : escape(String(value));
}
