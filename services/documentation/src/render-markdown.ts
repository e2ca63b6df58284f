import hljs from 'highlight.js/lib/core';
import MarkdownIt from 'markdown-it';
import './highlighting';

export interface Heading {
  id: string;
  text: string;
}

export interface RenderedMarkdown {
  html: string;
  /** The headings of the second level, in their order. */
  headings: Heading[];
}

export interface MarkdownOptions {
  /** The address of the page that a relative link to a Markdown file leads to; undefined leaves the text without a link. */
  linkTo(file: string): string | undefined;
  /** The drawing of a Mermaid diagram, as SVG. */
  drawingOf(source: string): string | undefined;
}

/** Renders GitHub-flavoured Markdown to HTML without inline styles or scripts. Raw HTML in the text is left out. */
export function renderMarkdown(text: string, { linkTo, drawingOf }: MarkdownOptions): RenderedMarkdown {
  const markdown = new MarkdownIt({ html: false, linkify: false });
  const headings: Heading[] = [];
  const { rules } = markdown.renderer;

  rules.heading_open = (tokens, index) => {
    const { tag } = tokens[index]!;
    const title = plainText(tokens[index + 1]?.children ?? []);
    const id = slugOf(title);
    if (tag === 'h2') headings.push({ id, text: title });
    return `<${tag} id="${id}"><a class="anchor" href="#${id}" aria-label="Link to this section"></a>`;
  };
  rules.fence = (tokens, index) => {
    const { info, content } = tokens[index]!;
    const language = info.trim();
    if (language === 'mermaid') {
      const drawing = drawingOf(content);
      if (drawing) return `<figure class="diagram" tabindex="0">${drawing}</figure>\n`;
    }
    const code = hljs.getLanguage(language)
      ? hljs.highlight(content, { language }).value
      : markdown.utils.escapeHtml(content);
    return `<pre tabindex="0"><code>${code}</code></pre>\n`;
  };
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.link_open = (tokens, index, options, _environment, self) => {
    const token = tokens[index]!;
    const target = String(token.attrGet('href'));
    const [, file, fragment = ''] = /^([\w./-]+\.md)?(#.*)?$/.exec(target) ?? [];
    if (file !== undefined) {
      const page = linkTo(file);
      // A link to a page that the site does not have shows its text only.
      if (page === undefined) return '<span>';
      token.attrSet('href', page + fragment);
    }
    return self.renderToken(tokens, index, options);
  };
  rules.link_close = (tokens, index) => {
    for (let open = index - 1; open >= 0; open--) {
      const token = tokens[open]!;
      if (token.type !== 'link_open') continue;
      return /\.md(#|$)/.test(String(token.attrGet('href'))) ? '</span>' : '</a>';
    }
    return '</a>';
  };

  return { html: markdown.render(text.replaceAll(/<!--[\s\S]*?-->\n?/g, '')), headings };
}

function plainText(tokens: readonly { content: string }[]): string {
  return tokens.map(({ content }) => content).join('');
}

/** The id that GitHub gives the heading, so that links between the files work in both places. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
