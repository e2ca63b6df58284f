const list = (text: string): string[] => text.split(' ');

/** Parts of family names. Their combinations are about ten thousand names. */
export const nameBeginnings = list(
  'Ab Al An Ar As Bal Bar Ben Ber Bor Bran Cal Car Cas Chan Cor Dal Dan Del Don Dor El Er Fal Far Fen Gal Gar Gor Hal Han Har Hol Is Jan Jor Kal Kar Kel Kin Lan Lar Len Lor Mac Mal Mar Mel Mor Nal Nor Ol Or Pal Par Pat Per Ral Ram Ros Sal San Shar Sol Tal Tan Tor Ul Val Van Ver Wal War Wil Yar Zam',
);
export const nameMiddles = ['', ...list('a be ca de di e fi ga i ka la li ma mi na ni o ra ri sa ta ti va wi')];
export const nameEndings = list(
  'bach berg bury by dell den dez ez field ford gan ham hart ian ini ish key land ler ley lin low man mann mer more ner nik rick ridge sen shaw ski son stein stone ton towski vale wall well wick witz wood worth yan',
);
export const givenNames = list(
  'Alice Amir Ana Anil Benjamin Carlos Chen Daniel Deborah Elena Farah Grace Hannah Isaac James José Karen Kenji Laura Linh Maria Michael Nadia Omar Paula Priya Rachel Robert Samuel Sofía Thomas William',
);

export const saints = list(
  "Agnes Anne Anthony Catherine Clare Elizabeth Francis Jerome John's Joseph Joseph's Jude Luke's Mark's Mary Mary's Michael's Rita Rose Thomas Vincent",
);
export const landmarks = list(
  'Alder Amber Aspen Bay Birch Blue Bluff Bridge Brook Canyon Cedar Clear Coastal Copper Creek Crescent Cypress Desert Eagle Elm Evergreen Falls Fern Forest Fox Glen Golden Granite Grand Harbor Hazel Heritage Highland Hill Island Juniper Keystone Lake Lakeside Laurel Liberty Magnolia Maple Meadow Mesa Mountain North Oak Ocean Orchard Pacific Palm Park Pine Pioneer Prairie Redwood Ridge River Rock Rose Sage Shore Silver Spring Stone Summit Sunset Timber Valley View Village Walnut West Willow Wind',
);
export const kinds = [
  'Hospital',
  'Medical Center',
  'Community Hospital',
  'Regional Medical Center',
  'Health System',
  'Health',
  'Clinic',
  'Family Medicine',
  'Family Practice',
  'Pediatrics',
  'Internal Medicine',
  'Medical Group',
  'Cardiology Associates',
  'Orthopedics',
  'Dermatology',
  "Women's Health",
  "Children's Hospital",
  'Eye Care',
  'Primary Care',
  'Urgent Care',
  'Cancer Center',
  'Neurology',
  'Surgical Associates',
  'Rehabilitation',
  'Physicians',
  'ENT',
  'Urology',
  'Gastroenterology',
  'Behavioral Health',
  'Home Care',
];
export const forms = ['', '', '', ', LLC', ', PC', ', PLLC', ' Inc.', ', PA'];
export const streets = list(
  'Main Church Oak Maple Washington Park Market Broad Center High Mill Union Franklin Jefferson Lincoln Madison Court Spring Chestnut Walnut',
);
export const streetKinds = list('St Ave Blvd Rd Dr Ln Way Pkwy');

export interface City {
  name: string;
  state: string;
  /** The first three digits of the postal codes. */
  area: string;
}

/** Cities, the largest first. */
export const cities: City[] =
  `New York NY 100, Los Angeles CA 900, Chicago IL 606, Brooklyn NY 112, Houston TX 770, Phoenix AZ 850, Philadelphia PA 191, San Antonio TX 782, San Diego CA 921, Dallas TX 752,
  Austin TX 787, Jacksonville FL 322, Fort Worth TX 761, San Jose CA 951, Columbus OH 432, Charlotte NC 282, Indianapolis IN 462, San Francisco CA 941, Seattle WA 981, Denver CO 802, Oklahoma City OK 731,
  Nashville TN 372, Washington DC 200, El Paso TX 799, Las Vegas NV 891, Boston MA 021, Detroit MI 482, Portland OR 972, Louisville KY 402, Memphis TN 381, Baltimore MD 212, Milwaukee WI 532, Albuquerque NM 871,
  Tucson AZ 857, Fresno CA 937, Sacramento CA 958, Mesa AZ 852, Atlanta GA 303, Kansas City MO 641, Colorado Springs CO 809, Omaha NE 681, Raleigh NC 276, Miami FL 331, Long Beach CA 908, Oakland CA 946,
  Minneapolis MN 554, Bakersfield CA 933, Tulsa OK 741, Tampa FL 336, Arlington TX 760, Wichita KS 672, Cleveland OH 441, New Orleans LA 701, Honolulu HI 968, Anaheim CA 928, Lexington KY 405, Stockton CA 952,
  Corpus Christi TX 784, Riverside CA 925, Cincinnati OH 452, Pittsburgh PA 152, St. Louis MO 631, St. Paul MN 551, Newark NJ 071, Greensboro NC 274, Lincoln NE 685, Toledo OH 436, Orlando FL 328, Jersey City NJ 073,
  Fort Wayne IN 468, Laredo TX 780, Madison WI 537, Reno NV 895, Buffalo NY 142, Durham NC 277, Rochester NY 146, Baton Rouge LA 708, Boise ID 837, Spokane WA 992, Richmond VA 232, Tacoma WA 984, Des Moines IA 503,
  Birmingham AL 352, Salt Lake City UT 841, Grand Rapids MI 495, Little Rock AR 722, Springfield IL 627, Springfield MA 011, Springfield MO 658, Worcester MA 016, Knoxville TN 379, Providence RI 029, Jackson MS 392,
  Sioux Falls SD 571, Fort Collins CO 805, Syracuse NY 132, Dayton OH 454, Savannah GA 314, Hartford CT 061, New Haven CT 065, Columbia SC 292, Topeka KS 666, Cedar Rapids IA 524, Fargo ND 581, Ann Arbor MI 481,
  Billings MT 591, Manchester NH 031, Duluth MN 558, Burlington VT 054, Cheyenne WY 820, Wilmington DE 198, Charleston WV 253, Bangor ME 044, Juneau AK 998, Anchorage AK 995, Augusta GA 309, Eau Claire WI 547`
    .split(',')
    .map((text) => {
      const [, name = '', state = '', area = ''] = /^\s*(.+) ([A-Z]{2}) (\d{3})$/.exec(text) ?? [];
      return { name, state, area };
    });

/** The full names of states in queries. */
export const stateNames: Record<string, string> = {
  NY: 'New York',
  CA: 'California',
  IL: 'Illinois',
  TX: 'Texas',
  AZ: 'Arizona',
  PA: 'Pennsylvania',
  FL: 'Florida',
  OH: 'Ohio',
  NC: 'North Carolina',
  IN: 'Indiana',
  WA: 'Washington',
  CO: 'Colorado',
  TN: 'Tennessee',
  MA: 'Massachusetts',
  MI: 'Michigan',
  OR: 'Oregon',
  GA: 'Georgia',
  MO: 'Missouri',
  NJ: 'New Jersey',
  VA: 'Virginia',
  WI: 'Wisconsin',
  MN: 'Minnesota',
};
