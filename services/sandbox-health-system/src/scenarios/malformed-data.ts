import { addEntry, changeEntries, changeText, withMember } from './hooks';
import { scenariosOf, type FhirExchange } from './scenario';

const isObservation = ({ type }: FhirExchange): boolean => type === 'Observation';
const isFirstOfObservation = ({ type, offset }: FhirExchange): boolean => type === 'Observation' && offset === 0;

const decimals = ['0.100000000000000000000000000001', '37.500', '1.20e-7', '12345678901234567890.10'];

const display = '"display":"';

export const malformedData = scenariosOf('Malformed data', {
  'broken-resource': {
    description: 'Adds to each page of Observation one entry whose resource has no resourceType.',
    page: addEntry(isObservation, 'match', '{"id":"broken","status":"final"}'),
  },
  'resource-without-id': {
    description: 'Adds to each first page of Observation one resource that has no id.',
    page: addEntry(
      isFirstOfObservation,
      'match',
      '{"resourceType":"Observation","status":"final","code":{"text":"without id"}}',
    ),
  },
  'long-id': {
    description: 'Adds to each first page of Observation one resource whose id has 300 characters; FHIR allows 64.',
    page: addEntry(
      isFirstOfObservation,
      'match',
      `{"resourceType":"Observation","id":"${'a'.repeat(300)}","status":"final","code":{"text":"a"}}`,
    ),
  },
  'long-decimals': {
    description: 'Has Observation values with thirty decimals, trailing zeros or an exponent.',
    page: changeEntries(
      (text, index) =>
        text.replace(/("valueQuantity"\s*:\s*\{\s*"value"\s*:\s*)-?[\d.]+/, `$1${decimals[index % decimals.length]!}`),
      'Observation',
    ),
  },
  'entered-in-error': {
    description: 'Gives every second Observation the status entered-in-error.',
    page: changeEntries(
      (text, index) => (index % 2 === 0 ? text : text.replace('"status":"final"', '"status":"entered-in-error"')),
      'Observation',
    ),
  },
  'repeated-entries': {
    description: 'Repeats the first entry of each page.',
    page: (page) => ({ ...page, entries: [...page.entries, ...page.entries.slice(0, 1)] }),
  },
  'unknown-elements': {
    description: 'Adds an element to each resource that is not defined by FHIR.',
    page: changeEntries((text) => withMember(text, '"vendorStuff":{"a":[1,2,{"b":null}]}')),
  },
  'byte-order-mark': {
    description: 'Starts every response with a byte order mark.',
    reply: changeText((text) => `\uFEFF${text}`),
  },
  'bad-utf8': {
    description: 'Inserts a byte that is not valid UTF-8 into the first display of a response.',
    reply: (reply) => {
      const at = typeof reply.body === 'string' ? reply.body.indexOf(display) : -1;
      if (at < 0) return reply;
      const [before, after] = [reply.body.slice(0, at + display.length), reply.body.slice(at + display.length)];
      return { ...reply, body: Buffer.concat([Buffer.from(before), Buffer.of(0xe9), Buffer.from(after)]) };
    },
  },
});
