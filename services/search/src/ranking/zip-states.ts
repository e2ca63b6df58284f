/** The first three digits of United States postal codes, as ranges with the state they lie in. */
const ranges: readonly [from: number, to: number, state: string][] = [
  [5, 5, 'ny'], [6, 7, 'pr'], [8, 8, 'vi'], [9, 9, 'pr'], [10, 27, 'ma'], [28, 29, 'ri'], [30, 38, 'nh'], [39, 49, 'me'], [50, 54, 'vt'], [55, 55, 'ma'], [56, 59, 'vt'], [60, 69, 'ct'], [70, 89, 'nj'],
  [100, 149, 'ny'], [150, 196, 'pa'], [197, 199, 'de'], [200, 200, 'dc'], [201, 201, 'va'], [202, 205, 'dc'], [206, 219, 'md'], [220, 246, 'va'], [247, 268, 'wv'], [270, 289, 'nc'], [290, 299, 'sc'],
  [300, 319, 'ga'], [320, 339, 'fl'], [341, 342, 'fl'], [344, 344, 'fl'], [346, 347, 'fl'], [349, 349, 'fl'], [350, 369, 'al'], [370, 385, 'tn'], [386, 397, 'ms'], [398, 399, 'ga'],
  [400, 427, 'ky'], [430, 459, 'oh'], [460, 479, 'in'], [480, 499, 'mi'], [500, 528, 'ia'], [530, 549, 'wi'], [550, 567, 'mn'], [569, 569, 'dc'], [570, 577, 'sd'], [580, 588, 'nd'], [590, 599, 'mt'],
  [600, 629, 'il'], [630, 658, 'mo'], [660, 679, 'ks'], [680, 693, 'ne'], [700, 714, 'la'], [716, 729, 'ar'], [730, 732, 'ok'], [733, 733, 'tx'], [734, 749, 'ok'], [750, 799, 'tx'],
  [800, 816, 'co'], [820, 831, 'wy'], [832, 838, 'id'], [840, 847, 'ut'], [850, 865, 'az'], [870, 884, 'nm'], [885, 885, 'tx'], [889, 898, 'nv'], [900, 961, 'ca'], [967, 968, 'hi'], [969, 969, 'gu'],
  [970, 979, 'or'], [980, 994, 'wa'], [995, 999, 'ak'],
];

const byPrefix = new Map(ranges.flatMap(([from, to, state]) => Array.from({ length: to - from + 1 }, (_, index) => [from + index, state] as const)));

/** The state a postal code lies in, for the many published addresses that hold nothing else; undefined for what is no United States postal code. */
export function stateOfPostalCode(postalCode: string): string | undefined {
  const [, prefix] = /^(\d{3})\d{2}(?:-?\d{4})?$/.exec(postalCode.trim()) ?? [];
  return prefix === undefined ? undefined : byPrefix.get(Number(prefix));
}
