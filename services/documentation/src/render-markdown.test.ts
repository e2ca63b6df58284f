import { renderMarkdown } from './render-markdown';

const render = (text: string): ReturnType<typeof renderMarkdown> =>
  renderMarkdown(text, {
    linkTo: (file) => (file === 'limits.md' ? '/docs/limits' : undefined),
    drawingOf: () => undefined,
  });

describe('Markdown', () => {
  it.each([
    ['a page of the site', '[a](limits.md#rates)', '<a href="/docs/limits#rates">a</a>'],
    ['a section', '[a](#rates)', '<a href="#rates">a</a>'],
    ['a file that is not a page', '[a](../README.md)', '<span>a</span>'],
    [
      'a Markdown file of another site',
      '[a](https://x.example/README.md)',
      '<a href="https://x.example/README.md">a</a>',
    ],
    ['a section of such a file', '[a](https://x.example/b.md#c)', '<a href="https://x.example/b.md#c">a</a>'],
    ['an address', '<https://x.example/b.md>', '<a href="https://x.example/b.md">https://x.example/b.md</a>'],
    ['several', '[a](x.md) and [b](limits.md)', '<span>a</span> and <a href="/docs/limits">b</a>'],
  ])('links to %s', (_target, text, expected) => {
    expect(render(text).html).toBe(`<p>${expected}</p>\n`);
  });

  it('gives equal headings different ids, as GitHub does', () => {
    const { html, headings } = render(
      ['Errors', 'Limits', 'Errors', 'Errors 1', 'errors'].map((title) => `## ${title}`).join('\n\n'),
    );
    const ids = ['errors', 'limits', 'errors-1', 'errors-1-1', 'errors-2'];
    expect(headings.map(({ id }) => id)).toEqual(ids);
    expect(
      [...html.matchAll(/<h2 id="([^"]*)"><a class="anchor" href="#([^"]*)"/g)].map(([, id, to]) => [id, to]),
    ).toEqual(ids.map((id) => [id, id]));
  });

  it('begins the ids anew with each text', () => {
    expect([render('# A').html, render('# A').html].every((html) => html.includes('id="a"'))).toBe(true);
  });
});
