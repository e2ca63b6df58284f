import { withEntryTexts, withMember } from '../rewrite';
import type { Scenario } from '../scenario';

export const brokenResource: Scenario = {
  name: 'broken-resource',
  area: 'odd data',
  does: 'Adds to each page of Observation one entry whose resource has no resourceType.',
  page: (page, { type }) =>
    type === 'Observation'
      ? { ...page, entries: [...page.entries, { text: '{"id":"broken","status":"final"}', mode: 'match' }] }
      : page,
};

export const resourceWithoutId: Scenario = {
  name: 'resource-without-id',
  area: 'odd data',
  does: 'Adds to each first page of Observation one resource that has no id.',
  page: (page, { type, offset }) =>
    type === 'Observation' && offset === 0
      ? {
          ...page,
          entries: [
            ...page.entries,
            { text: '{"resourceType":"Observation","status":"final","code":{"text":"without id"}}', mode: 'match' },
          ],
        }
      : page,
};

export const longId: Scenario = {
  name: 'long-id',
  area: 'odd data',
  does: 'Adds to each first page of Observation one resource whose id has 300 characters; FHIR allows 64.',
  page: (page, { type, offset }) => {
    if (type !== 'Observation' || offset > 0) return page;
    const text = JSON.stringify({
      resourceType: 'Observation',
      id: 'a'.repeat(300),
      status: 'final',
      code: { text: 'a' },
    });
    return { ...page, entries: [...page.entries, { text, mode: 'match' }] };
  },
};

export const longDecimals: Scenario = {
  name: 'long-decimals',
  area: 'odd data',
  does: 'Has Observation values with thirty decimals, trailing zeros or an exponent.',
  page: (page, { type }) => {
    if (type !== 'Observation') return page;
    const odd = ['0.100000000000000000000000000001', '37.500', '1.20e-7', '12345678901234567890.10'];
    return {
      ...page,
      entries: withEntryTexts(page.entries, (text, index) =>
        text.replace(/("valueQuantity"\s*:\s*\{\s*"value"\s*:\s*)-?[\d.]+/, `$1${odd[index % odd.length]!}`),
      ),
    };
  },
};

export const enteredInError: Scenario = {
  name: 'entered-in-error',
  area: 'odd data',
  does: 'Gives every second Observation the status entered-in-error.',
  page: (page, { type }) =>
    type === 'Observation'
      ? {
          ...page,
          entries: withEntryTexts(page.entries, (text, index) =>
            index % 2 === 0 ? text : text.replace('"status":"final"', '"status":"entered-in-error"'),
          ),
        }
      : page,
};

export const repeatedEntries: Scenario = {
  name: 'repeated-entries',
  area: 'odd data',
  does: 'Repeats the first entry of each page.',
  page: (page) => ({ ...page, entries: [...page.entries, ...page.entries.slice(0, 1)] }),
};

export const unknownElements: Scenario = {
  name: 'unknown-elements',
  area: 'odd data',
  does: 'Adds an element to each resource that is not defined by FHIR.',
  page: (page) => ({
    ...page,
    entries: withEntryTexts(page.entries, (text) => withMember(text, '"vendorStuff":{"a":[1,2,{"b":null}]}')),
  }),
};
