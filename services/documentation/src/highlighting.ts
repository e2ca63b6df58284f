// Registers the languages of the pages.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import typescript from 'highlight.js/lib/languages/typescript';

for (const [name, language] of Object.entries({ sh: bash, http, js: javascript, json, ts: typescript }))
  hljs.registerLanguage(name, language);
