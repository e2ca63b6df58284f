import { fold } from './fold';

/** Short forms that directories and people use in the place of a word. */
const abbreviations: Record<string, string> = {
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
};

/** The states of the United States by their postal abbreviation, with the district and the territories. */
export const states: Record<string, string> = {
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
};

/**
 * Words that half of all names hold: beside a telling word they order the results but exclude none ("brooklyn hospital" also finds the
 * Brooklyn health systems). A state's abbreviation is treated the same, because many published addresses lack the state.
 */
const generic = new Set([
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
  ...Object.keys(states),
]);

/** Words that do not count towards the length of a name. */
const silent = new Set(['the', 'of', 'and', 'at', 'for', 'a', 'an', 'by', 'inc', 'llc', 'llp', 'md', 'pc', 'pllc']);

/** The one form under which a word is indexed and looked up: folded, written out, singular. */
export function termOf(word: string): string {
  const folded = fold(word);
  return singular(abbreviations[folded] ?? folded);
}

/** Whether the word is a short form of another: then what it begins is meant as well ("st": "saint", but also "stanford"). */
export function isAbbreviation(word: string): boolean {
  return fold(word) in abbreviations;
}

export function isGeneric(term: string): boolean {
  return generic.has(term);
}

export function isSilent(term: string): boolean {
  return silent.has(term);
}

function singular(term: string): string {
  if (term.length < 4 || !term.endsWith('s') || /(?:ss|us|is)$|\d/.test(term)) return term;
  return term.length > 4 && term.endsWith('ies') ? `${term.slice(0, -3)}y` : term.slice(0, -1);
}
