import { readFileSync } from 'node:fs';
import { certificatesOf } from './pem-certificates';

/**
 * The certificates of the authorities of a server, in a PEM file that is read again for each connection. While the file
 * is missing or incomplete, its last usable content applies.
 */
export class AuthorityFile {
  #content: string;

  /** @throws Error that names the variable, when the file cannot be used */
  constructor(
    private readonly path: string,
    variable: string,
  ) {
    try {
      this.#content = read(path);
    } catch (error) {
      throw new Error(
        `the file of ${variable} cannot be used: ${error instanceof Error ? error.message : 'unknown reason'}`,
      );
    }
  }

  /** Certificates in PEM. */
  current(): string {
    try {
      this.#content = read(this.path, this.#content);
    } catch {
      // A connection attempt fails when the authority was replaced meanwhile, and the next one reads the file again.
    }
    return this.#content;
  }
}

/** @throws Error when the file cannot be read, or a certificate in it is incomplete */
function read(path: string, known?: string): string {
  const content = readFileSync(path, 'utf8');
  if (content !== known) certificatesOf(content);
  return content;
}
