import { SaxesParser } from 'saxes';
import { XHTML_ENTITIES } from './xhtml-entities';

/** The elements of https://hl7.org/fhir/R4/narrative.html#xhtml: basic formatting, links, images and tables. */
const ALLOWED_ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr acronym address b big blockquote br caption cite code col colgroup dd dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i img li ' +
    'ol p pre q samp small span strong sub sup table tbody td tfoot th thead tr tt ul var'
  ).split(' '),
);
const URL_ATTRIBUTES: ReadonlySet<string> = new Set(['href', 'src', 'cite', 'longdesc', 'background']);
const EVENT_ATTRIBUTE = /^on/i;
const SCRIPT_URL = /^(?:javascript|vbscript):/i;
/** Characters that browsers ignore in and before the scheme of a URL. */
const IGNORED_IN_URL = /[\u0000-\u0020]/g; // oxlint-disable-line no-control-regex

const MALFORMED = 'must be one well-formed XHTML element div';
const FORBIDDEN_ELEMENT = 'may have only the basic formatting elements of XHTML, in lower case';
const SCRIPT = 'may not have scripts';

/** Ends parsing at the first fault. */
class NarrativeFault extends Error {
  constructor(readonly rule: string) {
    super(rule);
  }
}

/**
 * Checks a narrative (https://hl7.org/fhir/R4/narrative.html#xhtml): well-formed XHTML, whose root is `div`, without
 * scripts. Entities are resolved before attributes are checked.
 * @returns the rule that it breaks, or undefined when it is valid
 */
export function narrativeFault(xhtml: string): string | undefined {
  const text = xhtml.trim();
  if (!/^<div[\s/>]/.test(text)) return MALFORMED;
  const parser = new SaxesParser({ xmlns: false, position: false } as const);
  parser.ENTITIES = XHTML_ENTITIES;
  parser.on('error', () => {
    throw new NarrativeFault(MALFORMED);
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (!ALLOWED_ELEMENTS.has(name)) throw new NarrativeFault(FORBIDDEN_ELEMENT);
    for (const attribute in attributes) {
      if (isScript(attribute, attributes[attribute] ?? '')) throw new NarrativeFault(SCRIPT);
    }
  });
  try {
    parser.write(text).close();
    return undefined;
  } catch (error) {
    if (error instanceof NarrativeFault) return error.rule;
    throw error;
  }
}

function isScript(attribute: string, value: string): boolean {
  if (EVENT_ATTRIBUTE.test(attribute)) return true;
  return URL_ATTRIBUTES.has(attribute.toLowerCase()) && SCRIPT_URL.test(value.replace(IGNORED_IN_URL, ''));
}
