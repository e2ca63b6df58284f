import { crc32c } from '../src/crc32c';
import { DoubleServer, type DoubleResponse, type KeyServiceDouble, fromBase64 } from './key-service-double';
import { StoredKey } from './key-store';

const nameOf = (id: string): string => `projects/test/locations/europe-west3/keyRings/tributary/cryptoKeys/${id}`;

/**
 * Google Cloud KMS over REST, and the metadata server from which workloads get their tokens.
 * @see https://cloud.google.com/kms/docs/reference/rest
 */
export async function startGoogleDouble(): Promise<KeyServiceDouble> {
  const keys = new Map([
    [nameOf('first'), new StoredKey()],
    [nameOf('second'), new StoredKey()],
  ]);
  let requests = 0;
  const refusal = (code: number, status: string): DoubleResponse => ({
    status: code,
    body: { error: { code, status, message: `refused: ${status}` } },
  });
  const server = await DoubleServer.listen(
    ({ path, headers, body }) => {
      if (headers.authorization !== 'Bearer token-of-the-workload') return refusal(401, 'UNAUTHENTICATED');
      const [, name = '', operation = ''] = /^\/v1\/([^:?]+)(?::(\w+))?/.exec(decodeURIComponent(path)) ?? [];
      const key = keys.get(name);
      requests++;
      if (!key) return refusal(404, 'NOT_FOUND');
      const version = `${name}/cryptoKeyVersions/${key.latest}`;
      if (operation === '')
        return { body: { name, purpose: 'ENCRYPT_DECRYPT', primary: { name: version, state: 'ENABLED' } } };
      const associatedData = fromBase64(body['additionalAuthenticatedData']);
      const sent = fromBase64(body[operation === 'encrypt' ? 'plaintext' : 'ciphertext']);
      const checksums = [
        body[operation === 'encrypt' ? 'plaintextCrc32c' : 'ciphertextCrc32c'],
        body['additionalAuthenticatedDataCrc32c'],
      ];
      if (Number(checksums[0]) !== crc32c(sent) || Number(checksums[1]) !== crc32c(associatedData))
        return refusal(400, 'INVALID_ARGUMENT');
      const bytes =
        operation === 'encrypt'
          ? key.encrypt(sent, associatedData.toString())
          : key.decrypt(sent, associatedData.toString());
      if (!bytes) return refusal(400, 'INVALID_ARGUMENT');
      return operation === 'encrypt'
        ? {
            body: {
              name: version,
              ciphertext: bytes.toString('base64'),
              ciphertextCrc32c: String(crc32c(bytes)),
              verifiedPlaintextCrc32c: true,
              verifiedAdditionalAuthenticatedDataCrc32c: true,
            },
          }
        : { body: { plaintext: bytes.toString('base64'), plaintextCrc32c: String(crc32c(bytes)) } };
    },
    { isTls: true },
  );
  const metadata = await DoubleServer.listen(({ path }) => {
    const isToken = path.startsWith('/computeMetadata/v1/instance/service-accounts/default/token');
    return {
      headers: { 'Metadata-Flavor': 'Google' },
      body: isToken ? { access_token: 'token-of-the-workload', expires_in: 3600, token_type: 'Bearer' } : 'test',
    };
  });
  return {
    environment: {
      KEY_PROVIDER: 'google-kms',
      KEY_PROVIDER_ENDPOINT: server.url,
      KEY_PROVIDER_CA_FILE: server.caFile,
      GCE_METADATA_HOST: metadata.url.replace('http://', ''),
      METADATA_SERVER_DETECTION: 'assume-present',
      GOOGLE_CLOUD_PROJECT: 'test',
      GOOGLE_CLOUD_UNIVERSE_DOMAIN: 'googleapis.com',
    },
    keys: [nameOf('first'), nameOf('second')],
    rotateKey: (name) => keys.get(name)?.rotate(),
    setReachable: (isReachable) => (server.isReachable = isReachable),
    requests: () => requests,
    close: async () => {
      await Promise.all([server.close(), metadata.close()]);
    },
  };
}
