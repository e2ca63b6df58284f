import type { ConsoleFacts } from '../../../src/developer-console/web/console-facts';

/** What the server tells in the document. */
export const facts = JSON.parse(document.getElementById('facts')?.textContent ?? '') as ConsoleFacts;
