import { execFile } from 'node:child_process';

export interface ProcessLimits {
  /** The processor time of the process, in whole seconds: it does not depend on other work of the machine. */
  processorSeconds: number;
  /** How long the process may run, in milliseconds: it can wait without using processor time. */
  timeMs: number;
  /** The heap of JavaScript, in megabytes. */
  heapMb: number;
  /**
   * The memory that the process may map for writing, in megabytes: heap, buffers, stacks, and 600 MB of which V8 uses
   * the least part. Systems without RLIMIT_DATA ignore it.
   */
  memoryMb: number;
  /** How many characters it may write to standard output. */
  outputLength: number;
}

/**
 * Sets limits, and replaces itself by the program. RLIMIT_AS would also count the
 * addresses that V8 only reserves, which differ between its versions. The limit of processor time ends a process whose
 * parent was killed. A core file would have the document.
 */
const limitedShell =
  'ulimit -d "$0" 2>/dev/null; ulimit -t "$1" 2>/dev/null; ulimit -c 0 2>/dev/null; shift; exec "$@"';

/**
 * Runs a script in a process of its own with limits of time and memory, and without environment variables.
 * @returns what it wrote to standard output
 * @throws the reason of the signal, or an Error when the process failed or exceeded a limit
 */
export async function runLimited(
  script: string,
  args: readonly string[],
  input: Buffer,
  { processorSeconds, timeMs, heapMb, memoryMb, outputLength }: ProcessLimits,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const limits = [String(memoryMb * 1024), String(processorSeconds)];
  const node = [process.execPath, `--max-old-space-size=${heapMb}`, script];
  return await new Promise((resolve, reject) => {
    const child = execFile(
      '/bin/sh',
      ['-c', limitedShell, ...limits, ...node, ...args],
      { env: {}, timeout: timeMs, killSignal: 'SIGKILL', maxBuffer: outputLength, signal },
      (error, output) => {
        if (signal.aborted) reject(signal.reason as Error);
        else if (error) reject(new Error('the process failed or exceeded a limit'));
        else resolve(output);
      },
    );
    // A process that ends early does not read its input; its exit code shows it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
