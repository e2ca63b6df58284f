/** What the clients in this folder share: each is a process that gets one message and answers with one. */
import { once } from 'node:events';

/** Answers the message of the parent process with what `use` returns, or with the error that the client reports. */
export async function answerParent(use) {
  const [settings] = await once(process, 'message');
  const answer = await use(settings).then(
    (result) => ({ result }),
    ({ name, error, error_description }) => ({ failure: { name, error, error_description } }),
  );
  process.send(answer, () => process.disconnect());
}

/** The private key in the form that openid-client and oauth4webapi take. */
export async function privateKeyOf({ jwk, kid, algorithm }) {
  const importAs =
    algorithm === 'RS384' ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' } : { name: 'ECDSA', namedCurve: jwk.crv };
  return { key: await crypto.subtle.importKey('jwk', jwk, importAs, false, ['sign']), kid };
}
