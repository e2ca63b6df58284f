import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoubleServer, type KeyServiceDouble, fromBase64 } from './key-service-double';
import { StoredKey } from './key-store';

/**
 * Vault's transit engine.
 * @see https://developer.hashicorp.com/vault/api-docs/secret/transit
 */
export async function startVaultDouble(): Promise<KeyServiceDouble> {
  const token = `hvs.${randomUUID()}`;
  const keys = new Map([
    ['tributary', new StoredKey()],
    ['another', new StoredKey()],
  ]);
  let requests = 0;
  const server = await DoubleServer.listen(
    ({ method, path, headers, body }) => {
      if (headers['x-vault-token'] !== token) return { status: 403, body: { errors: ['permission denied'] } };
      const [, operation = '', name = ''] = /^\/v1\/transit\/(\w+)\/([\w-]+)$/.exec(path) ?? [];
      const key = keys.get(name);
      requests++;
      if (!key) return { status: 404, body: { errors: [] } };
      const context = fromBase64(body['associated_data']).toString();
      if (method === 'GET' && operation === 'keys')
        return { body: { data: { name, type: 'aes256-gcm96', latest_version: key.latest } } };
      if (operation === 'encrypt') {
        const bytes = key.encrypt(fromBase64(body['plaintext']), context).toString('base64');
        return { body: { data: { ciphertext: `vault:v${key.latest}:${bytes}`, key_version: key.latest } } };
      }
      const plain = key.decrypt(fromBase64(String(body['ciphertext']).split(':')[2]), context);
      return plain
        ? { body: { data: { plaintext: plain.toString('base64') } } }
        : { status: 400, body: { errors: ['cipher: message authentication failed'] } };
    },
    { isTls: true },
  );
  const tokenFile = join(server.folder, 'token');
  writeFileSync(tokenFile, `${token}\n`);
  return {
    environment: {
      KEY_PROVIDER: 'vault-transit',
      KEY_PROVIDER_ENDPOINT: server.url,
      KEY_PROVIDER_CA_FILE: server.caFile,
      VAULT_TOKEN_FILE: tokenFile,
    },
    keys: ['tributary', 'another'],
    rotateKey: (name) => keys.get(name)?.rotate(),
    setReachable: (isReachable) => (server.isReachable = isReachable),
    requests: () => requests,
    close: () => server.close(),
  };
}
