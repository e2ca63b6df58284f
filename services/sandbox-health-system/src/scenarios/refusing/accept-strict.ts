import { mediaTypes } from '../../releases';
import type { Scenario } from '../scenario';

export const binaryAcceptStrict: Scenario = {
  name: 'binary-accept-strict',
  area: 'Accept header',
  does: 'Answers 406 to reads of Binary that accept a list of media types, and the content to one that accepts any.',
  before: ({ accept, type }) =>
    type === 'Binary' && accept.includes(',')
      ? { status: 406, headers: { 'Content-Type': 'text/plain' }, body: 'Not acceptable.' }
      : undefined,
};

export const acceptStrict: Scenario = {
  name: 'accept-strict',
  area: 'Accept header',
  does: 'Answers 406, in plain text, to requests that do not accept the exact media type of the release.',
  before: ({ accept, release, type }) => {
    const accepted = accept.split(',').map((part) => part.split(';')[0]!.trim());
    if (type === 'Binary' || accepted.includes(mediaTypes[release])) return undefined;
    return {
      status: 406,
      headers: { 'Content-Type': 'text/plain' },
      body: `Not acceptable. Try ${mediaTypes[release]}.`,
    };
  },
};
