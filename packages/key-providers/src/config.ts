import { activationConfig } from '@tributary/service-kit';
import { z } from 'zod';

/** The key services, by the names that `KEY_PROVIDER` selects them with. */
export const keyServiceNames = ['aws-kms', 'google-kms', 'azure-key-vault', 'vault-transit'] as const;
export type KeyServiceName = (typeof keyServiceNames)[number];

/** Where the key-encryption key of a service comes from, from environment variables. */
export const keyEncryptionKeyConfig = z.object({
  KEY_PROVIDER: z
    .enum(['file', ...keyServiceNames])
    .default('file')
    .describe(
      'where the key-encryption key is: `file`, or the key service that wraps the wrapping keys in the database: `aws-kms`, `google-kms`, `azure-key-vault` or `vault-transit`',
    ),
  KEY_ENCRYPTION_KEY_FILE: z
    .string()
    .optional()
    .describe(
      'the key file: one key of 32 bytes in base64 per line, the last one wraps. Required with `file`; beside a key service its keys still unwrap',
    ),
  KEY_PROVIDER_KEY: z
    .string()
    .regex(/^[^\s,]+(,[^\s,]+)*$/, 'must be one key, or several separated by commas')
    .optional()
    .describe(
      'the key of the key service: an ARN, a resource name, a key URL, or a name in Vault. Several are separated by commas; the last one wraps',
    ),
  KEY_PROVIDER_ENDPOINT: z
    .string()
    .regex(/^https?:\/\/[^/?#]+$/, 'must be an http(s) URL without a path')
    .optional()
    .describe(
      'the address of the key service where it is not the public one, such as a VPC endpoint; of Vault: required',
    ),
  KEY_PROVIDER_CA_FILE: z
    .string()
    .optional()
    .describe('the certificates, in PEM, of the authorities that the address of the key service is verified with'),
  VAULT_TRANSIT_MOUNT: z
    .string()
    .regex(/^[\w-]+(\/[\w-]+)*$/)
    .default('transit')
    .describe('the path of the transit engine in Vault'),
  VAULT_NAMESPACE: z.string().optional().describe('the namespace in Vault Enterprise'),
  VAULT_TOKEN_FILE: z.string().optional().describe('the file of the Vault token, which is read for each call'),
  VAULT_KUBERNETES_ROLE: z
    .string()
    .optional()
    .describe('the role for the Kubernetes authentication of Vault, in place of VAULT_TOKEN_FILE'),
  ...activationConfig.shape,
});
export type KeyEncryptionKeyConfig = z.output<typeof keyEncryptionKeyConfig>;
