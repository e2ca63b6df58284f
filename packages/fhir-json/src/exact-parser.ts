import { JsonError, TooManyMembersError } from './json-error';
import { numberFromText } from './numbers';
import type { JsonObject, JsonValue } from './values';

/** The maximum nesting of objects and arrays. Real resources have fewer than 30 levels. */
export const MAX_DEPTH = 128;

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const COMMA = 44;
const COLON = 58;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * A strict JSON parser (RFC 8259) that keeps the text of numbers and reports the position of an error. It is several
 * times slower than JSON.parse, so parseJson uses it only for texts that need it.
 */
export class ExactParser {
  private position = 0;
  private depth = 0;
  private members = 0;

  constructor(
    private readonly text: string,
    private readonly refuseDuplicates: boolean,
    private readonly maxMembers: number,
  ) {}

  parse(): JsonValue {
    if (this.text.charCodeAt(0) === 0xfeff) this.position = 1;
    const value = this.value(this.skipSpace());
    this.skipSpace();
    if (this.position < this.text.length) this.fail('more text after the end of the value');
    return value;
  }

  private value(first: number): JsonValue {
    switch (first) {
      case QUOTE:
        return this.string();
      case OPEN_BRACE:
        return this.object();
      case OPEN_BRACKET:
        return this.array();
      case 116:
        return this.word('true', true);
      case 102:
        return this.word('false', false);
      case 110:
        return this.word('null', null);
      default:
        if (first === MINUS || (first >= ZERO && first <= NINE)) return this.number();
        return this.fail(this.position < this.text.length ? 'a value was expected' : 'the text ends before the value');
    }
  }

  private object(): JsonObject {
    this.enter();
    const object: JsonObject = {};
    let next = this.skipSpace();
    if (next === CLOSE_BRACE) return this.leave(object);
    for (;;) {
      this.countMember();
      if (next !== QUOTE) this.fail('a property name in double quotes was expected');
      const start = this.position;
      const name = this.string();
      if (name === '__proto__') this.fail('the property name __proto__ is not allowed', start);
      if (this.refuseDuplicates && Object.hasOwn(object, name))
        this.fail('a property occurs twice in one object', start);
      if (this.skipSpace() !== COLON) this.fail('a colon was expected after the property name');
      this.position++;
      object[name] = this.value(this.skipSpace());
      next = this.skipSpace();
      if (next === CLOSE_BRACE) return this.leave(object);
      if (next !== COMMA) this.fail('a comma or the end of the object was expected');
      this.position++;
      next = this.skipSpace();
    }
  }

  private array(): JsonValue[] {
    this.enter();
    const array: JsonValue[] = [];
    let next = this.skipSpace();
    if (next === CLOSE_BRACKET) return this.leave(array);
    for (;;) {
      this.countMember();
      array.push(this.value(next));
      next = this.skipSpace();
      if (next === CLOSE_BRACKET) return this.leave(array);
      if (next !== COMMA) this.fail('a comma or the end of the array was expected');
      this.position++;
      next = this.skipSpace();
    }
  }

  private countMember(): void {
    if (++this.members > this.maxMembers) throw new TooManyMembersError(this.maxMembers, this.text, this.position);
  }

  private enter(): void {
    this.depth++;
    if (this.depth > MAX_DEPTH) this.fail(`objects and arrays are nested deeper than ${MAX_DEPTH} levels`);
    this.position++;
  }

  private leave<T>(value: T): T {
    this.depth--;
    this.position++;
    return value;
  }

  private string(): string {
    const { text } = this;
    const start = this.position;
    for (let at = start + 1; ; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.position = at + 1;
        return text.slice(start + 1, at);
      }
      if (code === BACKSLASH) return this.escapedString(start, at);
      if (!(code >= 32)) this.failInString(at);
    }
  }

  /** Finds the end of a string with escapes and validates these. JSON.parse decodes them. */
  private escapedString(start: number, firstEscape: number): string {
    const { text } = this;
    let at = firstEscape;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        ESCAPE.lastIndex = at;
        if (!ESCAPE.test(text)) this.fail('a string has an escape that JSON does not define', at);
        at = ESCAPE.lastIndex;
      } else if (code >= 32) {
        at++;
      } else {
        this.failInString(at);
      }
    }
    this.position = at + 1;
    return JSON.parse(text.slice(start, at + 1)) as string;
  }

  private number(): JsonValue {
    NUMBER.lastIndex = this.position;
    const match = NUMBER.exec(this.text);
    if (match === null) return this.fail('a number was expected');
    this.position = NUMBER.lastIndex;
    return numberFromText(match[0]);
  }

  private word<T extends JsonValue>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.position)) this.fail('a value was expected');
    this.position += word.length;
    return value;
  }

  /** Advances to the next character that is not white space and returns its code, or NaN at the end. */
  private skipSpace(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.position);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      this.position++;
    }
  }

  private failInString(at: number): never {
    return this.fail(
      at < this.text.length ? 'a string has an unescaped control character' : 'the text ends within a string',
      at,
    );
  }

  private fail(reason: string, position = this.position): never {
    throw new JsonError(reason, this.text, position);
  }
}
