import { StreamKeyOpener } from '@tributary/audit-log';
import type { Secret } from '@tributary/service-kit';

/** Gives what opens the keys of streams, with all opening keys that the secret has now. */
export type OpeningKeys = () => StreamKeyOpener;

/** @throws Error when a key cannot be used; later, when one that was added cannot */
export function openingKeys(secret: Pick<Secret, 'accepted'>): OpeningKeys {
  let { accepted } = secret;
  let opener = new StreamKeyOpener(accepted);
  return () => {
    if (secret.accepted !== accepted) {
      ({ accepted } = secret);
      opener = new StreamKeyOpener(accepted);
    }
    return opener;
  };
}
