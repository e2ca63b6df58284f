import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { ToolError } from '../record/tool-error';

const script = join(__dirname, '..', '..', 'worker', 'read-pdf.mjs');
const timeLimitMs = 20_000;
const memoryLimitMb = 256;

const result = z.object({ pages: z.int(), text: z.array(z.string()) });

/**
 * The text of a PDF, page by page, read in a thread with limits of time and memory.
 * @throws ToolError when it cannot be read, or has no text
 */
export async function textOfPdf(content: Buffer, signal: AbortSignal): Promise<string> {
  const worker = new Worker(script, {
    workerData: content,
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
    stdout: true,
    stderr: true,
  });
  try {
    const { pages, text } = await new Promise<z.output<typeof result>>((resolve, reject) => {
      const fail = (): void =>
        reject(new ToolError('The PDF cannot be read: it is damaged, encrypted or too complex.'));
      const timer = setTimeout(fail, timeLimitMs);
      worker.once('message', (message) => {
        const read = result.safeParse(message);
        if (read.success) resolve(read.data);
        else fail();
      });
      worker.once('error', fail);
      worker.once('exit', () => {
        clearTimeout(timer);
        fail();
      });
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    if (text.every((page) => page === ''))
      throw new ToolError(
        `The PDF has ${pages} pages of pictures, such as scans, and no text. Tell the user; it cannot be read here.`,
      );
    return text.map((page, index) => `[page ${index + 1} of ${pages}]\n${page}`).join('\n\n');
  } finally {
    await worker.terminate();
  }
}
