import type { RewrapResult } from '@tributary/key-vault';
import type { ManagedKek } from './managed-kek';

/** The stored keys of a service that its key-encryption key wraps. */
export interface WrappedKeys {
  /** @throws Error when the key-encryption key opens none of them */
  assertKekMatches(): Promise<void>;
  /** The number of keys by the id of the version that wrapped them; '' where it is not noted yet. */
  countByVersion(): Promise<ReadonlyMap<string, number>>;
  /** @param onKey is called after each key that was due */
  rewrapAll(onKey?: () => void): Promise<RewrapResult>;
}

/** The keys of a service, and the key-encryption key that wraps them. */
export interface ServiceKeyring {
  /** The name of the service, for the output. */
  service: string;
  kek: ManagedKek;
  keys: WrappedKeys;
}
