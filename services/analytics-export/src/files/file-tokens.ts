import { JsonSealer, type SealerSecret, UnsealingError } from '@tributary/key-vault';
import type { ExportScope } from '@tributary/record-storage';
import { type ManifestFile, fileMetadata } from './manifest-file';

/** Longer than any URL may be. */
const maxTokenLength = 16_384;
const maxBytes = 256 * 1024 * 1024;

/**
 * The tokens in the URLs of files. A token is its ManifestFile, sealed (AES-256-GCM) with scope and type as associated
 * data: it can be neither read nor altered, it opens for no other scope and no other type, and every replica can serve
 * it, since nothing about it is stored.
 */
export class FileTokens {
  readonly #sealer: JsonSealer;

  /** @param secret FILE_TOKEN_KEY, the same for all replicas */
  constructor(secret: string | SealerSecret) {
    this.#sealer = new JsonSealer({ secret, use: 'files of exports', deflateFromBytes: 0, maxBytes });
  }

  seal(file: ManifestFile): string {
    const { scope, type } = fileMetadata(file);
    return this.#sealer.sealToken(file, associatedData(scope, type));
  }

  /** The file of a token; undefined when this service did not make the token for this scope and type. */
  open(token: string, scope: ExportScope, type: string): ManifestFile | undefined {
    if (token.length > maxTokenLength) return undefined;
    try {
      return this.#sealer.openToken(token, associatedData(scope, type)) as ManifestFile;
    } catch (error) {
      if (error instanceof UnsealingError) return undefined;
      throw error;
    }
  }
}

function associatedData(scope: ExportScope, type: string): string {
  return JSON.stringify(['userId' in scope ? { user: scope.userId } : { client: scope.clientId }, type]);
}
