import { type DataKey, UnsealingError } from '@tributary/key-vault';
import type { ExportScope } from '@tributary/record-storage';
import { openJson, sealJson, serviceKey } from '../sealing/service-key';
import { type FileDescription, factsOf } from './file-description';

/** Longer than any address may be. */
const mostCharacters = 16_384;

/**
 * The tokens of files. A token is the description of its file, sealed for its scope and type: it can be neither read nor changed, it opens
 * for no other scope and below no other type, and any replica can serve it, for nothing about it is kept.
 */
export class FileTokens {
  readonly #key: DataKey;

  /** @param secret the same for all replicas */
  constructor(secret: string) {
    this.#key = serviceKey(secret, 'files of exports');
  }

  seal(description: FileDescription): string {
    const { scope, type } = factsOf(description);
    return sealJson(this.#key, description, place(scope, type)).toString('base64url');
  }

  /** The file of the token; undefined when it was not made here, or not for this scope and type. */
  open(token: string, scope: ExportScope, type: string): FileDescription | undefined {
    if (token.length > mostCharacters) return undefined;
    const sealed = Buffer.from(token, 'base64url');
    // Texts that differ in what base64url ignores are not the token that was given out.
    if (sealed.toString('base64url') !== token) return undefined;
    try {
      return openJson(this.#key, sealed, place(scope, type)) as FileDescription;
    } catch (error) {
      if (error instanceof UnsealingError) return undefined;
      throw error;
    }
  }
}

function place(scope: ExportScope, type: string): string {
  return JSON.stringify(['userId' in scope ? { user: scope.userId } : { client: scope.clientId }, type]);
}
