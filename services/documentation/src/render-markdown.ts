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
  /**
   * The address of the page that a relative link to a Markdown file leads to; undefined leaves the text without a link.
   */
  linkTo(file: string): string | undefined;
  /** The drawing of a Mermaid diagram, as SVG. */
  drawingOf(source: string): string | undefined;
}

/** Renders GitHub-flavoured Markdown to HTML without inline styles or scripts. Raw HTML in the text is left out. */
export function renderMarkdown(text: string, { linkTo, drawingOf }: MarkdownOptions): RenderedMarkdown {
  const markdown = new MarkdownIt({ html: false, linkify: false });
  const headings: Heading[] = [];
  const idOf = headingIds();
  const { rules } = markdown.renderer;

  rules.heading_open = (tokens, index) => {
    const { tag } = tokens[index]!;
    const title = plainText(tokens[index + 1]?.children ?? []);
    const id = idOf(title);
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
      if (page === undefined) {
        token.meta = { isText: true };
        return '<span>';
      }
      token.attrSet('href', page + fragment);
    }
    return self.renderToken(tokens, index, options);
  };
  rules.link_close = (tokens, index) => {
    const opening = tokens.slice(0, index).findLast(({ type }) => type === 'link_open');
    return opening?.meta?.isText ? '</span>' : '</a>';
  };

  return { html: markdown.render(text.replaceAll(/<!--[\s\S]*?-->\n?/g, '')), headings };
}

function plainText(tokens: readonly { content: string }[]): string {
  return tokens.map(({ content }) => content).join('');
}

/**
 * Gives the headings of one text the ids that GitHub gives them, so that links between the files work in both places.
 * The second heading of the same text has the suffix -1, the third one -2.
 */
function headingIds(): (text: string) => string {
  const lastSuffixes = new Map<string, number>();
  return (text) => {
    const slug = slugOf(text);
    let id = slug;
    for (let suffix = lastSuffixes.get(slug) ?? 0; lastSuffixes.has(id);) {
      id = `${slug}-${++suffix}`;
      lastSuffixes.set(slug, suffix);
    }
    lastSuffixes.set(id, 0);
    return id;
  };
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
