// The notation of an element in the tables: "1..1 code =observation-status", "0..* Reference(Patient|Group)",
// "0..1 Quantity:SimpleQuantity|string".

/** The last part of a canonical URL, without the version. */
export const lastPart = (url) => url.split('|')[0].split('/').at(-1);

export function elementText({ min, max, types, binding }) {
  return `${min}..${max} ${types.map(typeText).join('|')}${binding ? ` =${binding}` : ''}`;
}

function typeText({ code, profile, targets = [] }) {
  if (profile) return `${code}:${profile}`;
  const named = [...new Set(targets)].filter((target) => target !== 'Resource' && target !== 'Any');
  return named.length > 0 && named.length === new Set(targets).size ? `${code}(${named.join(',')})` : code;
}
