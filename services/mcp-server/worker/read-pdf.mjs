// Runs in a worker thread of its own: a PDF from a health system can be wrong or hostile, and parsing it can take any
// amount of time and memory. The thread that started this one ends it.
import { parentPort, workerData } from 'node:worker_threads';
import { extractText, getDocumentProxy } from 'unpdf';

const document = await getDocumentProxy(new Uint8Array(workerData), { isEvalSupported: false, verbosity: 0 });
const { totalPages, text } = await extractText(document, { mergePages: false });
parentPort.postMessage({ pages: totalPages, text: text.map((page) => page.trim()) });
