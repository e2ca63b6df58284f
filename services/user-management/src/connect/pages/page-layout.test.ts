import { nameOr } from './page-layout';

it.each([
  ['Lakeside <b>Hospital</b>', '<bdi>Lakeside &#60;b&#62;Hospital&#60;/b&#62;</bdi>'],
  // The end of the isolate, and another direction for the text after it.
  ['Evil \u2069\u202e emos', '<bdi>Evil  emos</bdi>'],
  ['two\u2028lines', '<bdi>twolines</bdi>'],
  ['می\u200cخواهم', '<bdi>می\u200cخواهم</bdi>'],
  ['\u202e\u200b', 'the health system'],
  ['', 'the health system'],
  [undefined, 'the health system'],
])('shows the name %j as it is, without what changes the text around it', (name, html) => {
  expect(nameOr('the health system', name)).toBe(html);
});
