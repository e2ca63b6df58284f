import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Anchor, Checkpoint } from '@tributary/audit-log';
import { fileError } from '@tributary/service-kit';
import { z } from 'zod';

/** A checkpoint as a line of the anchor file has it, in JSON. */
export function anchorOf({ number, at, hash, signature, keyId }: Checkpoint): object {
  return {
    number,
    at: new Date(at).toISOString(),
    hash: hash.toString('hex'),
    signature: signature.toString('base64'),
    keyId,
  };
}

const shape = z.object({ number: z.int().positive(), hash: z.string().regex(/^[0-9a-f]{64}$/) });

/** The checkpoints in an anchor file. @throws Error when it cannot be read, or a line is none */
export async function* readAnchors(file: string): AsyncGenerator<Anchor> {
  let lineNumber = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      lineNumber++;
      if (line === '') continue;
      const anchor = shape.safeParse(jsonOf(line));
      if (!anchor.success) throw new Error(`line ${lineNumber} of ${file} is no checkpoint`);
      yield { number: anchor.data.number, hash: Buffer.from(anchor.data.hash, 'hex') };
    }
  } catch (error) {
    throw fileError(file, error);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
