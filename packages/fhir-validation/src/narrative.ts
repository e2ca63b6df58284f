/** The elements that the narrative of a resource may have: basic formatting, links, images and tables, nothing that acts. */
const ALLOWED = new Set(
  (
    'a abbr acronym address b big blockquote br caption cite code col colgroup dd dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i img li ' +
    'ol p pre q samp small span strong sub sup table tbody td tfoot th thead tr tt ul var'
  ).split(' '),
);

const TAG = /<\/?([A-Za-z][\w:-]*)/g;
const ACTIVE_ATTRIBUTE = /<[A-Za-z][^<>]*\s(?:on[a-z]+\s*=|(?:href|src)\s*=\s*["']?\s*(?:javascript|vbscript):)/i;

/** The rule that a narrative breaks, or undefined if it is sound. */
export function narrativeFault(xhtml: string): string | undefined {
  const text = xhtml.trim();
  if (!/^<div[\s/>]/.test(text) || !(text.endsWith('</div>') || text.endsWith('/>')))
    return 'must be one XHTML element div';
  for (const [, tag = ''] of text.matchAll(TAG)) {
    if (!ALLOWED.has(tag)) return 'may have only the basic formatting elements of XHTML, in lower case';
  }
  if (ACTIVE_ATTRIBUTE.test(text)) return 'may not have scripts';
  return undefined;
}
