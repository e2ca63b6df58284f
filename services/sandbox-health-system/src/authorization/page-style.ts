import { createHash } from 'node:crypto';

/** The style sheet of the pages. The Content-Security-Policy allows it by its hash. */
export const pageStyle = `
:root{color-scheme:light dark;--ink:#12263a;--paper:#fff;--ground:#eef3f6;--line:#b9c7d1;--edge:#64798a;--accent:#005a70;--on-accent:#fff;--warn:#8f1d14}
@media (prefers-color-scheme:dark){:root{--ink:#e6eef3;--paper:#16222c;--ground:#0d161d;--line:#3b4f5d;--edge:#7d93a2;--accent:#7fd3e6;--on-accent:#06222a;--warn:#ff9d92}}
*{box-sizing:border-box}
body{margin:0;padding:0 1rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:clamp(1rem,5vw,2.5rem) auto;padding:clamp(1.25rem,5vw,2rem);background:var(--paper);border:1px solid var(--line);border-radius:.75rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
.notice{margin:0 0 1.25rem;padding:.5rem .75rem;border-left:4px solid var(--accent);background:var(--ground);font-size:.9rem}
.error{padding:.5rem .75rem;border-left:4px solid var(--warn);color:var(--warn)}
label{display:block;margin:1rem 0 .25rem;font-weight:600}
input,select{width:100%;padding:.6rem;border:1px solid var(--edge);border-radius:.4rem;background:var(--paper);color:inherit;font:inherit}
button{margin:1.25rem .75rem 0 0;padding:.65rem 1.4rem;border:2px solid var(--accent);border-radius:.4rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
button.quiet{background:transparent;color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
table{width:100%;border-collapse:collapse;font-size:.9rem}
caption{text-align:left;font-weight:600;margin:1.5rem 0 .25rem}
th,td{padding:.3rem .5rem .3rem 0;text-align:left;border-top:1px solid var(--line);overflow-wrap:anywhere}
li{margin:.25rem 0}
`;

/**
 * The Content-Security-Policy: the style sheet only. There is no `form-action`: browsers also apply it to redirects
 * after a form, and the further redirects of the client are not known here.
 */
export const pageSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
