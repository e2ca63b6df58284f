import { narrativeFault } from './narrative';

const div = (content: string): string => `<div xmlns="http://www.w3.org/1999/xhtml">${content}</div>`;

it.each([
  div(''),
  '<div/>',
  ` ${div('text')}\n`,
  div('<p class="a">A &amp; B&nbsp;&eacute; &#233;&#xe9;<br/></p>'),
  div('<a href="https://example.org/?a=1&amp;b=2" title="javascript: an introduction">x</a><img src="#photo" alt=""/>'),
  div('<!-- comment --><table><tr><td>1</td></tr></table>'),
])('accepts %s', (xhtml) => {
  expect(narrativeFault(xhtml)).toBeUndefined();
});

it.each([
  '',
  'text',
  '<p>x</p>',
  '<div>',
  '<div><p>x</div>',
  '<div><b><i>x</b></i></div>',
  '<div>x</div><div>y</div>',
  '<div>x</div>y',
  '<div>a < b</div>',
  '<div>&unknown;</div>',
  '<div class=a>x</div>',
  '<div class="a" class="b">x</div>',
  '<?xml version="1.0"?><div/>',
  '<!DOCTYPE div><div/>',
  '<div>\u0001</div>',
])('refuses %j, which is not one well-formed div', (xhtml) => {
  expect(narrativeFault(xhtml)).toContain('well-formed');
});

it.each(['<div><script>x</script></div>', '<div><iframe/></div>', '<div><P>x</P></div>', '<div><form/></div>'])(
  'refuses %j for its element',
  (xhtml) => {
    expect(narrativeFault(xhtml)).toContain('elements');
  },
);

it.each([
  '<div onclick="x">y</div>',
  '<div onClick="x">y</div>',
  div('<a href="javascript:x">y</a>'),
  div('<a href=" JavaScript:x">y</a>'),
  div('<a href="&#106;avascript:x">y</a>'),
  div('<a href="&#x6A;avascript&#58;x">y</a>'),
  div('<a href="java&#9;script:x">y</a>'),
  div('<img src="vbscript:x" alt=""/>'),
  div("<a href='java\nscript:x'>y</a>"),
])('refuses %j for its script', (xhtml) => {
  expect(narrativeFault(xhtml)).toContain('scripts');
});

it('takes time in proportion to the length of the narrative', () => {
  const nested = '<div>'.repeat(50_000) + '</div>'.repeat(50_000);
  expect(narrativeFault(nested)).toBeUndefined();
  expect(narrativeFault(div('<p>x</p>'.repeat(50_000)))).toBeUndefined();
});
