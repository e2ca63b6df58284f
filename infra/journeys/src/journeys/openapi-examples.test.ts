import { OwnValues, documentOf, examplesOf, publicDocuments, send } from '../suite/api-examples';
import { newClient } from '../suite/users';
import { readySuite } from '../suite/ready';
import { releases } from '../suite/sample-resources';

const ready = readySuite();

/** Examples that need what this journey does not have: the redirect of a health system, and the cookie of a page. */
const notSent = new Set(['connectCallback', 'connectCallbackOfRegistration', 'answerConnectLink']);

describe('the examples of the OpenAPI documents succeed as they are', () => {
  it.each(publicDocuments)('of %s', async (name, base, server) => {
    const examples = examplesOf(await documentOf(base))
      .filter(({ operationId }) => !notSent.has(operationId))
      .toSorted((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'));
    expect(examples.length).toBeGreaterThan(0);
    const release = releases.find((each) => each === name);
    const client = await newClient(ready, `examples of ${name}`);
    const own = new OwnValues(client, release);
    const failed: string[] = [];
    for (const example of examples) {
      const reply = await send(server, example, own);
      if (!example.statuses.includes(String(reply.status)))
        failed.push(
          `${example.operationId} (${example.method} ${example.path} ${example.contentType ?? ''}): ${reply.status} ${reply.text.slice(0, 300)}`,
        );
    }
    expect(failed).toEqual([]);
  });
});
