import { type KeyObject, constants, generateKeyPairSync, privateDecrypt, publicEncrypt, randomUUID } from 'node:crypto';
import { DoubleServer, type DoubleResponse, type KeyServiceDouble } from './key-service-double';

interface KeyVersion {
  readonly id: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const newVersion = (): KeyVersion => ({
  id: randomUUID().replaceAll('-', ''),
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }),
});
/** All doubles of a process begin with the same keys, which take long to generate. */
let firstVersions: readonly [KeyVersion, KeyVersion] | undefined;

const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };

/**
 * The keys of Azure Key Vault, and the endpoint from which workloads get their tokens.
 * @see https://learn.microsoft.com/rest/api/keyvault/keys/operation-groups
 */
export async function startAzureDouble(): Promise<KeyServiceDouble> {
  firstVersions ??= [newVersion(), newVersion()];
  const keys = new Map([
    ['first', [firstVersions[0]]],
    ['second', [firstVersions[1]]],
  ]);
  let requests = 0;
  const refusal = (status: number, code: string): DoubleResponse => ({
    status,
    body: { error: { code, message: `refused: ${code}` } },
  });
  const server = await DoubleServer.listen(
    ({ path, headers, body }) => {
      if (headers.authorization !== 'Bearer token-of-the-workload')
        return {
          ...refusal(401, 'Unauthorized'),
          headers: {
            'WWW-Authenticate': `Bearer authorization="https://login.microsoftonline.com/${randomUUID()}", resource="https://vault.azure.net"`,
          },
        };
      const [, name = '', id = '', operation = ''] =
        /^\/keys\/([\w-]+)(?:\/(\w*))?(?:\/(\w+))?\/?(?:\?.*)?$/.exec(path) ?? [];
      const versions = keys.get(name);
      requests++;
      const version = id === '' ? versions?.at(-1) : versions?.find((each) => each.id === id);
      if (!version) return refusal(404, 'KeyNotFound');
      const kid = `${server.url}/keys/${name}/${version.id}`;
      if (operation === '')
        return {
          body: {
            key: { kid, key_ops: ['wrapKey', 'unwrapKey'], ...version.publicKey.export({ format: 'jwk' }) },
            attributes: { enabled: true },
          },
        };
      const value = Buffer.from(String(body['value']), 'base64url');
      if (body['alg'] !== 'RSA-OAEP-256') return refusal(400, 'BadParameter');
      try {
        const bytes =
          operation === 'wrapkey'
            ? publicEncrypt({ key: version.publicKey, ...padding }, value)
            : privateDecrypt({ key: version.privateKey, ...padding }, value);
        return { body: { kid, value: bytes.toString('base64url') } };
      } catch {
        return refusal(400, 'BadParameter');
      }
    },
    { isTls: true },
  );
  const identity = await DoubleServer.listen(() => ({
    body: {
      access_token: 'token-of-the-workload',
      expires_on: String(Math.floor(Date.now() / 1000) + 3600),
      resource: 'https://vault.azure.net',
      token_type: 'Bearer',
    },
  }));
  return {
    environment: {
      KEY_PROVIDER: 'azure-key-vault',
      KEY_PROVIDER_ENDPOINT: server.url,
      KEY_PROVIDER_CA_FILE: server.caFile,
      IDENTITY_ENDPOINT: `${identity.url}/msi/token`,
      IDENTITY_HEADER: 'header of the test',
    },
    keys: ['https://tributary.vault.azure.net/keys/first', 'https://tributary.vault.azure.net/keys/second'],
    rotateKey: (key) => void keys.get(key.endsWith('first') ? 'first' : 'second')?.push(newVersion()),
    setReachable: (isReachable) => (server.isReachable = isReachable),
    requests: () => requests,
    close: async () => {
      await Promise.all([server.close(), identity.close()]);
    },
  };
}
