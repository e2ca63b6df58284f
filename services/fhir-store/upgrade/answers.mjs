// What a fhir-store answers, in a form that can be compared: once when the dump is made, and again by the upgrade test.

/** The answers to requests `{userId, clientId, address}`. Links hold sealed page tokens, which differ each time. */
export async function answersOf(user, requests) {
  const answers = [];
  for (const { userId, clientId, address } of requests) {
    const { status, body } = await user(userId, clientId).get(address);
    answers.push({ userId, clientId, address, status, body: body === '' ? null : withoutLinks(JSON.parse(body)) });
  }
  return answers;
}

function withoutLinks({ link: _link, ...body }) {
  return body;
}

const scopes = [{ userId: 1 }, { userId: 2 }, { userId: 3 }, { userId: 4 }, { clientId: 'client' }, { clientId: 'another-client' }];

/** The lines of exports as of a time, and what was deleted before it, both sorted. */
export async function exportsOf(reader, at) {
  const exports = [];
  for (const scope of scopes) {
    const files = await reader.plan({ scope, at });
    const lines = [];
    for (const file of files) {
      const pieces = [];
      for await (const piece of reader.streamFile(file, { encoding: 'identity' })) pieces.push(piece);
      const own = Buffer.concat(pieces).toString('utf8').split('\n').filter(Boolean);
      if (own.length !== file.count) throw new Error(`a file of ${file.count} resources has ${own.length} lines`);
      lines.push(...own);
    }
    const deleted = [];
    for await (const chunk of reader.deletions({ scope, at })) deleted.push(...chunk);
    exports.push({ scope, lines: lines.sort(), deleted: deleted.map((each) => JSON.stringify(each)).sort() });
  }
  return exports;
}
