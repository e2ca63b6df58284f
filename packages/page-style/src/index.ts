import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The style sheet, for pages that hold their style in the document. A build imports the file itself. */
export const pageStyle = readFileSync(join(__dirname, '..', 'style.css'), 'utf8');
