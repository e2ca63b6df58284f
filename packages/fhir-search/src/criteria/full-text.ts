import { isJsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import { searchLimits } from '../query/search-limits';
import { SearchError } from '../search-error';
import { fold, words } from '../values/folding';
import { matchAll, type Criterion } from './criterion';

type TextQuery = (text: string) => boolean;

/**
 * `_text` searches the narrative, `_content` all strings of the resource: https://hl7.org/fhir/R4/search.html#content.
 * A query has words, each of which must be the beginning of a word of the text, "phrases", AND (the default), OR, NOT
 * and parentheses.
 * @throws SearchError when the query has a syntax error
 */
export function fullTextCriterion(parameter: '_text' | '_content', query: string): Criterion {
  const holds = new QueryParser(parameter, query).read();
  const textOf = parameter === '_text' ? narrative : content;
  return {
    parameter,
    condition: matchAll,
    exact: false,
    matches: (resource) => holds(` ${words(fold(textOf(resource))).join(' ')} `),
  };
}

/** The text of the narrative without tags. */
function narrative(resource: Resource): string {
  const text = resource['text'];
  const div = isJsonObject(text) ? text['div'] : undefined;
  return typeof div === 'string' ? decoded(div.replace(/<[^>]*>/g, ' ')) : '';
}

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }));

function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi,
    (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return entities.get(name) ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
    },
  );
}

/** All strings of the resource, joined by spaces. */
function content(resource: Resource): string {
  const found: string[] = [narrative(resource)];
  collect(resource, found);
  return found.join(' ');
}

function collect(value: JsonValue | undefined, into: string[]): void {
  if (typeof value === 'string') into.push(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (isJsonObject(value))
    for (const [name, child] of Object.entries(value)) if (name !== 'div') collect(child, into);
}

/** A recursive-descent parser of full-text queries. */
class QueryParser {
  readonly #tokens: string[];
  #at = 0;
  #depth = 0;

  constructor(
    readonly parameter: string,
    query: string,
  ) {
    this.#tokens = query.match(/"[^"]*"|[()]|[^\s()"]+/g) ?? [];
  }

  read(): TextQuery {
    const query = this.#or();
    if (this.#at < this.#tokens.length) throw this.syntaxError();
    return query;
  }

  #or(): TextQuery {
    const of = [this.#and()];
    while (this.#take('or')) of.push(this.#and());
    return of.length === 1 && of[0] ? of[0] : (text) => of.some((each) => each(text));
  }

  #and(): TextQuery {
    const of = [this.#single()];
    while (this.#at < this.#tokens.length && !this.#next('or') && !this.#next(')')) {
      this.#take('and');
      of.push(this.#single());
    }
    return (text) => of.every((each) => each(text));
  }

  #single(): TextQuery {
    if (++this.#depth > searchLimits.expressionDepth) throw this.syntaxError();
    const query = this.#unit();
    this.#depth--;
    return query;
  }

  #unit(): TextQuery {
    if (this.#take('not')) {
      const negated = this.#single();
      return (text) => !negated(text);
    }
    if (this.#take('(')) {
      const inner = this.#or();
      if (!this.#take(')')) throw this.syntaxError();
      return inner;
    }
    const token = this.#tokens[this.#at++];
    const sought = words(fold(token ?? '')).join(' ');
    if (token === undefined || token === ')' || sought === '') throw this.syntaxError();
    const needle = token.startsWith('"') ? ` ${sought} ` : ` ${sought}`;
    return (text) => text.includes(needle);
  }

  #next(token: string): boolean {
    return this.#tokens[this.#at]?.toLowerCase() === token;
  }

  #take(token: string): boolean {
    if (!this.#next(token)) return false;
    this.#at++;
    return true;
  }

  syntaxError(): SearchError {
    return new SearchError(
      this.parameter,
      'invalid',
      `${this.parameter} takes words, "phrases", and, or, not and brackets`,
    );
  }
}
