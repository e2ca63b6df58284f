/** Splits a stream of NDJSON into lines: one array for each piece of the stream that completes a line. */
export async function* lineBatches(stream: ReadableStream<Uint8Array>): AsyncGenerator<string[], void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      const complete = lines.filter((line) => line !== '');
      if (complete.length > 0) yield complete;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
