import { TributaryUser } from '/sdk/index.js';

const byId = (id) => document.getElementById(id);
const show = (id, texts) =>
  byId(id).replaceChildren(...texts.map((text) => Object.assign(document.createElement('li'), { textContent: text })));

/** Asks the server of this application for an access token, which it refreshes. */
async function signIn(path) {
  const response = await fetch(path, { method: 'POST' });
  return response.ok ? response.json() : undefined;
}

let settings = await signIn('/token');
byId('sign-up').onclick = async () => {
  settings = await signIn('/sign-up');
  await start();
};
if (settings) await start();

async function start() {
  const user = new TributaryUser({
    ...settings.addresses,
    clientId: settings.clientId,
    accessToken: async () => (await signIn('/token')).access_token,
  });
  byId('sign-up').hidden = true;
  byId('signed-in').hidden = false;
  byId('search').onsubmit = (event) => {
    event.preventDefault();
    void search(user, byId('query').value);
  };
  byId('export').onclick = () => exportRecord(user);
  if (location.hash) byId('result').textContent = location.hash.slice(1);
  await showRecord(user);
}

async function search(user, query) {
  const { entry } = await user.healthSystems.page({ query, connectable: true });
  byId('systems').replaceChildren(
    ...entry.map(({ id, name }) => {
      const item = document.createElement('li');
      item.append(
        Object.assign(document.createElement('a'), { href: `/connect?health_system_id=${id}`, textContent: name }),
      );
      return item;
    }),
  );
}

async function showRecord(user) {
  const connections = await user.connections.waitUntilCollected({
    onProgress: (all) =>
      show(
        'connections',
        all.map(
          ({ health_system, status, progress }) =>
            `${health_system.name}: ${status}, ${progress.types_done} of ${progress.types_total} types, ${progress.collected} resources`,
        ),
      ),
  });
  if (connections.length === 0) return;
  const fhir = user.fhir('r4');
  const conditions = await fhir.search('Condition', { _sort: '-recorded-date' }).toArray();
  show(
    'conditions',
    conditions.map(({ code }) => code?.text ?? code?.coding?.[0]?.display ?? 'unnamed'),
  );
  const labs = await fhir.search('Observation', { category: 'laboratory', _sort: '-date', _count: 100 }).toArray();
  show(
    'labs',
    labs.map(
      ({ code, valueQuantity, effectiveDateTime }) =>
        `${code.text}: ${valueQuantity?.value ?? ''} ${valueQuantity?.unit ?? ''} (${effectiveDateTime ?? ''})`,
    ),
  );
  show('events', await (await fetch('/events')).json());
}

async function exportRecord(user) {
  const job = await user.exports.start();
  const manifest = await job.wait({ onProgress: (progress) => (byId('exported').textContent = progress ?? '') });
  let count = 0;
  for await (const { resource } of user.exports.resources(manifest)) if (resource.id) count++;
  byId('exported').textContent = `${count} resources exported`;
}
