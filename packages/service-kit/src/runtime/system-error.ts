import { readFileSync } from 'node:fs';
import { getSystemErrorMap } from 'node:util';

type SystemError = NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string };

/** The meaning of each code, such as `no such file or directory`. */
const meanings = new Map([...getSystemErrorMap().values(), ['ENOTFOUND', 'unknown host']]);

/** A code of the operating system in words; another text as it is. */
export function codeInWords(code: string): string {
  return meanings.get(code) ?? code;
}

/** Why the operating system has refused something; undefined for another error. */
function reasonOf(error: unknown): string | undefined {
  const { errno, code } = (error ?? {}) as SystemError;
  return errno === undefined || code === undefined ? undefined : meanings.get(code);
}

/** An error of the operating system as an error that names the file; another one as it is. */
export function fileError(file: string, error: unknown): unknown {
  const reason = reasonOf(error);
  return reason === undefined ? error : new Error(`${file} cannot be read: ${reason}`, { cause: error });
}

/** The text of a file that an operator has named. @throws Error that names it, and says why it cannot be read */
export function readNamedFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw fileError(file, error);
  }
}

/** The message of an error, with those of the operating system in words: what it was about, and the reason. */
export function messageInWords(error: unknown): string {
  // One for each address of a host.
  if (error instanceof AggregateError && error.message === '') return messageInWords(error.errors[0]);
  const reason = reasonOf(error);
  if (reason === undefined) return error instanceof Error ? error.message : 'the command failed';
  const { path, hostname, address, port } = error as SystemError;
  const subject = path ?? hostname ?? (port === undefined ? address : `${address}:${port}`);
  return subject === undefined ? reason : `${subject}: ${reason}`;
}
