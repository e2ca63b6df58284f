/**
 * The schema of all keys. It is separate from `fhir_store` so that it has separate backups: a record is destroyed for
 * good once the backups of this schema that still contain its key have expired, however long the backups of the records
 * are kept.
 */
export const keySchema = 'fhir_store_keys';

/** The wrapping keys that wrap the keys of clients, where a key service wraps them. */
export const wrappingKeyTable = `${keySchema}.wrapping_key`;
