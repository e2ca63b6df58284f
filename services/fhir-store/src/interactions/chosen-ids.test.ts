import { randomUUID } from 'node:crypto';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { resourceOf, textOf } from '../../test/record-over-http';

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

const patient = (id: string): { resourceType: string; id: string } => ({ resourceType: 'Patient', id });

describe('an id that another record has', () => {
  it('cannot be chosen, whoever assigned it, and the response does not disclose the reason', async () => {
    const [owner, other] = [store.user(), store.user()];
    const chosen = randomUUID();
    expect((await owner.send('put', `/r4/Patient/${chosen}`, patient(chosen))).status).toBe(201);
    const { id: assigned } = await owner.create('r4', { resourceType: 'Patient' });
    const answers: string[] = [];
    for (const id of [chosen, assigned, '01930000-0000-8000-8000-000000000009']) {
      const single = await other.send('put', `/r4/Patient/${id}`, patient(id));
      const conditional = await other.send('put', `/r4/Patient?identifier=${randomUUID()}`, patient(id));
      const transaction = await other.send('post', '/r4', {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [
          { resource: { resourceType: 'Basic', code: { text: 'x' } }, request: { method: 'POST', url: 'Basic' } },
          { resource: patient(id), request: { method: 'PUT', url: `Patient/${id}` } },
        ],
      });
      expect([single.status, conditional.status, transaction.status]).toEqual([409, 409, 409]);
      answers.push(textOf(single), textOf(conditional), textOf(transaction));
      expect((await other.get(`/r4/Patient/${id}`)).status).toBe(404);
    }
    expect(new Set(answers).size).toBe(1);
    expect((await other.bundle('/r4/_history')).entries).toEqual([]);
    expect(resourceOf(await owner.get(`/r4/Patient/${chosen}`))).toMatchObject({ meta: { versionId: '1' } });
  });

  it('does not hinder its owner', async () => {
    const owner = store.user();
    const { id } = await owner.create('r4', { resourceType: 'Patient' });
    expect((await owner.send('put', `/r4/Patient/${id}`, patient(id))).status).toBe(200);
    expect((await owner.send('delete', `/r4/Patient/${id}`)).status).toBe(204);
    expect((await owner.send('put', `/r4/Patient/${id}`, patient(id))).status).toBe(201);
    expect(resourceOf(await owner.get(`/r4/Patient/${id}`))).toMatchObject({ meta: { versionId: '4' } });
  });
});
