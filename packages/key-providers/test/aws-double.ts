import { DoubleServer, type KeyServiceDouble, fromBase64 } from './key-service-double';
import { StoredKey } from './key-store';

const arn = (id: number): string =>
  `arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-00000000000${id}`;

/**
 * AWS KMS: the operations Encrypt, Decrypt and DescribeKey in the JSON protocol.
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_Operations.html
 */
export async function startAwsDouble(): Promise<KeyServiceDouble> {
  const keys = new Map([
    [arn(1), new StoredKey()],
    [arn(2), new StoredKey()],
  ]);
  let requests = 0;
  const refusal = (type: string): { status: number; body: unknown } => ({
    status: 400,
    body: { __type: type, message: `refused: ${type}` },
  });
  const server = await DoubleServer.listen(
    ({ headers, body }) => {
      const signature = /^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d{8}\/eu-central-1\/kms\/aws4_request/;
      if (!signature.test(headers.authorization ?? '')) return refusal('MissingAuthenticationTokenException');
      const id = String(body['KeyId']);
      const key = keys.get(id);
      requests++;
      if (!key) return refusal('NotFoundException');
      const context = JSON.stringify(body['EncryptionContext']);
      switch (headers['x-amz-target']) {
        case 'TrentService.Encrypt': {
          const blob = key.encrypt(fromBase64(body['Plaintext']), context).toString('base64');
          return { body: { CiphertextBlob: blob, KeyId: id, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' } };
        }
        case 'TrentService.Decrypt': {
          const plain = key.decrypt(fromBase64(body['CiphertextBlob']), context);
          return plain
            ? { body: { Plaintext: plain.toString('base64'), KeyId: id, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' } }
            : refusal('InvalidCiphertextException');
        }
        case 'TrentService.DescribeKey':
          return { body: { KeyMetadata: { KeyId: id, Arn: id, CurrentKeyMaterialId: `material-${key.latest}` } } };
        default:
          return refusal('UnknownOperationException');
      }
    },
    { isTls: true },
  );
  return {
    environment: {
      KEY_PROVIDER: 'aws-kms',
      KEY_PROVIDER_ENDPOINT: server.url,
      KEY_PROVIDER_CA_FILE: server.caFile,
      AWS_ACCESS_KEY_ID: 'AKIATEST',
      AWS_SECRET_ACCESS_KEY: 'a secret of the test',
    },
    keys: [arn(1), arn(2)],
    rotateKey: (id) => keys.get(id)?.rotate(),
    setReachable: (isReachable) => (server.isReachable = isReachable),
    requests: () => requests,
    close: () => server.close(),
  };
}
