import { readFile } from 'node:fs/promises';
import { type Secret, secret } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { ObjectStorage } from './object-storage';
import { type AccessKey, openObjectStorage } from './open-object-storage';

/** Where large attachments are stored, from environment variables. */
export const objectStorageConfig = z.object({
  OBJECT_STORAGE_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional()
    .describe(
      'the bucket of an S3-compatible object storage for attachments above 1 MB; without it they stay in the database',
    ),
  OBJECT_STORAGE_ENDPOINT: z
    .string()
    .regex(/^https?:\/\/[^/?#]+$/, 'must be an http(s) URL without a path')
    .optional()
    .describe('the address of the object storage; that of AWS by default'),
  OBJECT_STORAGE_REGION: z
    .string()
    .regex(/^[\w-]+$/, 'must be the name of a region')
    .optional()
    .describe(
      'the region of the bucket; by default us-east-1 with OBJECT_STORAGE_ENDPOINT, otherwise that of the SDK of AWS',
    ),
  OBJECT_STORAGE_ACCESS_KEY_ID: secret(1)
    .optional()
    .describe(
      'the ID of the access key; without it the SDK of AWS looks for credentials, such as those of a workload identity',
    ),
  OBJECT_STORAGE_SECRET_ACCESS_KEY: secret(1)
    .optional()
    .describe(
      'the secret of the access key. To replace an access key, append the new ID and the new secret to both files',
    ),
  OBJECT_STORAGE_CA_FILE: z
    .string()
    .optional()
    .describe('the certificates, in PEM, of the authorities of the object storage; those of Node.js by default'),
});
export type ObjectStorageConfig = z.output<typeof objectStorageConfig>;

/**
 * Opens the object storage that the configuration names.
 * @param log receives a warning when the storage cannot be read now; requests for large attachments then fail
 * @throws Error when the configuration is incomplete, or the file of the authorities cannot be read
 */
export async function objectStorageFrom(
  config: ObjectStorageConfig,
  log?: Pick<Logger, 'warn'>,
): Promise<ObjectStorage | undefined> {
  const { OBJECT_STORAGE_BUCKET: bucket, OBJECT_STORAGE_CA_FILE: caFile } = config;
  if (bucket === undefined) return undefined;
  const storage = openObjectStorage({
    bucket,
    endpoint: config.OBJECT_STORAGE_ENDPOINT,
    region: config.OBJECT_STORAGE_REGION,
    accessKey: accessKeyOf(config),
    ca: caFile === undefined ? undefined : await readFile(caFile, 'utf8'),
  });
  if (log)
    storage.check().catch((error: Error) => {
      log.warn({ reason: error.message }, 'the object storage cannot be read: large attachments are not available');
    });
  return storage;
}

function accessKeyOf({
  OBJECT_STORAGE_ACCESS_KEY_ID: id,
  OBJECT_STORAGE_SECRET_ACCESS_KEY: key,
}: ObjectStorageConfig): (() => AccessKey) | undefined {
  if (id && key) return () => currentAccessKey(id, key);
  if (id || key)
    throw new Error(
      'OBJECT_STORAGE_ACCESS_KEY_ID and OBJECT_STORAGE_SECRET_ACCESS_KEY belong together: set both of them or none',
    );
  return undefined;
}

/** The two files change one after the other, so their values belong together only while both have as many. */
function currentAccessKey(id: Secret, key: Secret): AccessKey {
  const secretAccessKey = key.current;
  const index = id.accepted.length === key.accepted.length ? key.accepted.indexOf(secretAccessKey) : -1;
  return { accessKeyId: id.accepted[index] ?? id.current, secretAccessKey };
}
