import { fold } from './words';

/** Abbreviations in directories and queries, with the words they stand for. */
const abbreviations = new Map(
  Object.entries({
    assn: 'association',
    assoc: 'associate',
    behav: 'behavioral',
    centre: 'center',
    chld: 'children',
    cnty: 'county',
    comm: 'community',
    ctr: 'center',
    ctrs: 'center',
    dept: 'department',
    derm: 'dermatology',
    fam: 'family',
    ft: 'fort',
    gen: 'general',
    grp: 'group',
    hlth: 'health',
    hlthcare: 'healthcare',
    hosp: 'hospital',
    hosps: 'hospital',
    hsp: 'hospital',
    hsptl: 'hospital',
    inst: 'institute',
    intl: 'international',
    mass: 'massachusetts',
    med: 'medical',
    mem: 'memorial',
    meml: 'memorial',
    mt: 'mount',
    natl: 'national',
    ortho: 'orthopedic',
    orthopaedic: 'orthopedic',
    orthopaedics: 'orthopedic',
    orthopedics: 'orthopedic',
    paediatric: 'pediatric',
    paediatrics: 'pediatric',
    pediatrics: 'pediatric',
    peds: 'pediatric',
    phys: 'physician',
    reg: 'regional',
    regl: 'regional',
    rehab: 'rehabilitation',
    st: 'saint',
    svc: 'service',
    svcs: 'service',
    sys: 'system',
    univ: 'university',
  }),
);

/** States, the federal district and territories of the United States by their postal abbreviation. */
export const states = new Map(
  Object.entries({
    al: 'alabama',
    ak: 'alaska',
    az: 'arizona',
    ar: 'arkansas',
    ca: 'california',
    co: 'colorado',
    ct: 'connecticut',
    dc: 'district of columbia',
    de: 'delaware',
    fl: 'florida',
    ga: 'georgia',
    gu: 'guam',
    hi: 'hawaii',
    id: 'idaho',
    il: 'illinois',
    in: 'indiana',
    ia: 'iowa',
    ks: 'kansas',
    ky: 'kentucky',
    la: 'louisiana',
    me: 'maine',
    md: 'maryland',
    ma: 'massachusetts',
    mi: 'michigan',
    mn: 'minnesota',
    ms: 'mississippi',
    mo: 'missouri',
    mt: 'montana',
    ne: 'nebraska',
    nv: 'nevada',
    nh: 'new hampshire',
    nj: 'new jersey',
    nm: 'new mexico',
    ny: 'new york',
    nc: 'north carolina',
    nd: 'north dakota',
    oh: 'ohio',
    ok: 'oklahoma',
    or: 'oregon',
    pa: 'pennsylvania',
    pr: 'puerto rico',
    ri: 'rhode island',
    sc: 'south carolina',
    sd: 'south dakota',
    tn: 'tennessee',
    tx: 'texas',
    ut: 'utah',
    vt: 'vermont',
    va: 'virginia',
    vi: 'virgin islands',
    wa: 'washington',
    wv: 'west virginia',
    wi: 'wisconsin',
    wy: 'wyoming',
  }),
);

/**
 * Words that are in a large part of all names. Beside other words they affect the order of results but are not
 * required: "brooklyn hospital" also matches the Brooklyn health systems. State abbreviations are included, because
 * many published addresses have no state.
 */
const commonTerms = new Set([
  'associate',
  'association',
  'care',
  'center',
  'clinic',
  'corporation',
  'county',
  'department',
  'dr',
  'group',
  'health',
  'healthcare',
  'hospital',
  'inc',
  'institute',
  'llc',
  'llp',
  'md',
  'medical',
  'medicine',
  'network',
  'office',
  'pc',
  'physician',
  'pllc',
  'practice',
  'program',
  'regional',
  'service',
  'system',
  'the',
  'of',
  'and',
  'at',
  'for',
  'a',
  'an',
  'by',
  'de',
  'del',
  'la',
  ...states.keys(),
]);

/** Words that do not count towards the length of a name. */
const stopWords = new Set(['the', 'of', 'and', 'at', 'for', 'a', 'an', 'by', 'inc', 'llc', 'llp', 'md', 'pc', 'pllc']);

/** Normalizes a word to the term under which it is indexed and looked up: folded, abbreviations expanded, singular. */
export function termOf(word: string): string {
  const folded = fold(word);
  return singular(abbreviations.get(folded) ?? folded);
}

/**
 * Whether the word is an abbreviation. It is then also looked up as a prefix: "st" is "saint", but also the beginning
 * of "stanford".
 */
export function isAbbreviation(word: string): boolean {
  return abbreviations.has(fold(word));
}

export function isCommonTerm(term: string): boolean {
  return commonTerms.has(term);
}

export function isStopWord(term: string): boolean {
  return stopWords.has(term);
}

function singular(term: string): string {
  if (term.length < 4 || !term.endsWith('s') || /(?:ss|us|is)$|\d/.test(term)) return term;
  return term.length > 4 && term.endsWith('ies') ? `${term.slice(0, -3)}y` : term.slice(0, -1);
}
