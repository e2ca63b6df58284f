import hljs from 'highlight.js/lib/core';
import MarkdownIt from 'markdown-it';
import { Html, html } from '../html';
import '../highlighting';

const markdown = new MarkdownIt({ html: false, linkify: true });

// The address of a definition in FHIR is shown as its last part: the addresses would fill the lists of parameters.
markdown.renderer.rules.link_open = (tokens, index, options, _environment, self) => {
  const text = tokens[index + 1];
  if (tokens[index]?.markup === 'linkify' && text)
    text.content = /([^/]+?)(?:\.html)?$/.exec(text.content)?.[1] ?? text.content;
  return self.renderToken(tokens, index, options);
};

/** A description as it stands in an OpenAPI document, in Markdown. */
export function paragraphs(text: string): Html {
  return new Html(markdown.render(text));
}

/** A description of one paragraph, without its element. */
export function inline(text: string): Html {
  return new Html(markdown.renderInline(text));
}

/** A block of code that can be copied. */
export function codeBlock(text: string, language: 'sh' | 'json'): Html {
  return html`<pre tabindex="0"><code>${new Html(hljs.highlight(text, { language }).value)}</code></pre>`;
}
