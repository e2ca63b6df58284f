// The records of the upgrade test: synthetic people in three releases, with versions, deletions, compacted blocks and
// awaited references.

const loinc = 'http://loinc.org';
const day = (n) => new Date(Date.UTC(2024, 0, 1 + n * 3)).toISOString().slice(0, 10);

/**
 * Writes the records of users 1 to 6 through the API of the code that is dumped.
 * @returns the requests whose answers are recorded
 */
export async function writeRecords({ store, user, contentOf, typeCodeOf }) {
  const requests = [];
  const ask = (userId, clientId, ...addresses) =>
    requests.push(...addresses.map((address) => ({ userId, clientId, address })));
  const [first, second] = [user(1, 'client'), user(2, 'client')];
  ask(1, 'client', ...(await r4Record(first, store)));
  ask(2, 'client', ...(await earlierReleases(second)));
  ask(3, 'client', ...(await collected(store)));
  await user(4, 'client').create('r4', { resourceType: 'Basic', code: { text: 'destroyed' } });
  await store.records.destroy(4);
  ask(4, 'client', '/r4/Basic');
  ask(5, 'another-client', ...(await otherClient(user(5, 'another-client'))));
  ask(6, 'client', ...(await withoutIndexValues(store, contentOf, typeCodeOf)));
  return requests;
}

async function r4Record(user, store) {
  const patient = await user.create('r4', {
    resourceType: 'Patient',
    name: [{ family: 'Åkesson', given: ['Ines', 'Maj'] }],
    gender: 'female',
    birthDate: '1961-07-04',
    identifier: [{ system: 'urn:mrn', value: 'A-1' }],
  });
  const subject = { reference: `Patient/${patient.id}` };
  const observations = [];
  for (let n = 0; n < 14; n++) {
    observations.push(
      await user.create('r4', {
        resourceType: 'Observation',
        status: n % 3 ? 'final' : 'preliminary',
        subject,
        code: {
          coding: [{ system: loinc, code: n % 2 ? '8302-2' : '29463-7' }],
          text: n % 2 ? 'Body height' : 'Body weight',
        },
        effectiveDateTime: day(n),
        valueQuantity: {
          value: 60 + n / 2,
          unit: n % 2 ? 'cm' : 'kg',
          system: 'http://unitsofmeasure.org',
          code: n % 2 ? 'cm' : 'kg',
        },
      }),
    );
  }
  const conditions = await transaction(user, 8, (n) => ({
    resourceType: 'Condition',
    subject,
    code: { text: `condition ${n}`, coding: [{ system: 'http://snomed.info/sct', code: `${1000 + (n % 4)}` }] },
    onsetDateTime: day(n),
  }));
  await store.storage.compactRecord(1);
  const [changed, restored, deleted] = [observations[0], observations[1], observations[2]];
  for (const value of [70, 71]) await put(user, { ...changed, valueQuantity: { ...changed.valueQuantity, value } });
  for (const { id } of [restored, deleted]) await expectStatus(user.send('delete', `/r4/Observation/${id}`), 204);
  await put(user, { ...restored, status: 'amended' });
  await put(user, { ...patient, birthDate: '1961-07-04', name: [{ family: 'Nilsson', given: ['Ines'] }] });
  const contained = await user.create('r4', {
    resourceType: 'MedicationRequest',
    status: 'active',
    intent: 'order',
    subject,
    contained: [{ resourceType: 'Medication', id: 'm', code: { coding: [{ system: 'urn:drug', code: '7' }] } }],
    medicationReference: { reference: '#m' },
    authoredOn: day(3),
  });
  for (let n = 0; n < 3; n++)
    await user.create('r4', { resourceType: 'Basic', code: { text: `basic ${n}` }, created: day(n) });
  return [
    ...[patient, changed, restored, deleted, contained].map(({ resourceType, id }) => `/r4/${resourceType}/${id}`),
    ...[1, 2, 3].flatMap((version) => [changed, restored].map(({ id }) => `/r4/Observation/${id}/_history/${version}`)),
    ...[changed, restored, deleted].map(({ id }) => `/r4/Observation/${id}/_history`),
    '/r4/Observation/_history?_count=100',
    '/r4/_history?_count=200',
    '/r4/Patient?name=nil',
    '/r4/Patient?family=%C3%85kesson',
    '/r4/Patient?birthdate=lt1970-01-01&gender=female',
    '/r4/Patient?identifier=urn:mrn|A-1',
    `/r4/Observation?code=${loinc}|8302-2&_count=100&_total=accurate`,
    '/r4/Observation?code:not=29463-7&_count=100&_total=accurate',
    `/r4/Observation?date=ge${day(5)}&_sort=-date&_count=100`,
    '/r4/Observation?value-quantity=gt63&_sort=value-quantity&_count=100',
    '/r4/Observation?status=final&_summary=count',
    '/r4/Observation?status:missing=true&_summary=count',
    `/r4/Observation?subject=Patient/${patient.id}&_count=100`,
    '/r4/Observation?patient.name=nilsson&_count=100',
    '/r4/Condition?code=http://snomed.info/sct|1002&_count=100',
    `/r4/Condition?onset-date=${day(4)}`,
    `/r4/Condition?_id=${conditions[0]},${conditions[1]}`,
    '/r4/MedicationRequest?medication.code=7',
    '/r4/MedicationRequest?authoredon=gt2024-01-01',
    `/r4/Patient/${patient.id}/Condition?_count=100`,
  ];
}

async function earlierReleases(user) {
  const stu3 = await user.create('stu3', {
    resourceType: 'Patient',
    name: [{ family: 'Rivera', given: ['Ines'] }],
    birthDate: '1990-07-04',
  });
  const dstu2 = await user.create('dstu2', {
    resourceType: 'Patient',
    name: [{ family: ['Rivera'], given: ['Ines'] }],
    birthDate: '1990-07-04',
    gender: 'female',
  });
  for (let n = 0; n < 6; n++) {
    await user.create('stu3', {
      resourceType: 'Observation',
      status: 'final',
      subject: { reference: `Patient/${stu3.id}` },
      code: { coding: [{ system: loinc, code: '8867-4' }] },
      effectiveDateTime: day(n),
      valueQuantity: { value: 60 + n, unit: '/min' },
    });
    await user.create('dstu2', {
      resourceType: 'Condition',
      patient: { reference: `Patient/${dstu2.id}` },
      code: { text: `condition ${n}` },
      verificationStatus: 'confirmed',
      onsetDateTime: day(n),
    });
  }
  const order = await user.create('dstu2', {
    resourceType: 'MedicationOrder',
    patient: { reference: `Patient/${dstu2.id}` },
    medicationCodeableConcept: { text: 'a drug' },
    dateWritten: day(1),
  });
  await expectStatus(user.send('delete', `/dstu2/MedicationOrder/${order.id}`), 204);
  return [
    `/stu3/Patient/${stu3.id}`,
    `/dstu2/Patient/${dstu2.id}`,
    `/dstu2/MedicationOrder/${order.id}`,
    '/stu3/Patient?family=rivera',
    '/dstu2/Patient?given=ines&birthdate=1990',
    '/stu3/Observation?code=8867-4&_sort=date&_count=100',
    `/dstu2/Condition?patient=${dstu2.id}&onset=gt${day(2)}&_count=100`,
    '/dstu2/_history?_count=100',
    '/stu3/_history?_count=100',
  ];
}

/** What health systems sent: one reference waits for its target, one was given back to the source's form. */
async function collected(store) {
  const source = {
    client_id: 'client',
    release: 'r4',
    health_system_id: 1,
    fhir_base_url: 'https://ehr.example.org/r4',
  };
  const lines = [
    {
      resourceType: 'Patient',
      id: 'p',
      name: [{ family: 'Ek' }],
      managingOrganization: { reference: 'Organization/gone' },
    },
    ...Array.from({ length: 9 }, (_, n) => ({
      resourceType: 'Observation',
      id: `o${n}`,
      status: 'final',
      code: { coding: [{ system: loinc, code: '2339-0' }] },
      subject: { reference: 'Patient/p' },
      effectiveDateTime: day(n),
      valueQuantity: { value: 90 + n },
    })),
  ];
  await store.records.storeBatch(3, source, lines.map((line) => JSON.stringify(line)).join('\n'));
  await store.records.resolveReferences(3, source);
  await store.records.storeBatch(
    3,
    source,
    JSON.stringify({
      resourceType: 'Condition',
      id: 'c',
      subject: { reference: 'Patient/p' },
      encounter: { reference: 'Encounter/later' },
      code: { text: 'x' },
    }),
  );
  return [
    '/r4/Patient',
    '/r4/Condition',
    '/r4/Observation?code=2339-0&_sort=-date&_count=100',
    '/r4/Observation?patient.family=ek&_count=100',
    '/r4/_history?_count=100',
  ];
}

async function otherClient(user) {
  const { id } = await user.create('r4', { resourceType: 'Basic', code: { text: 'of another client' } });
  return [`/r4/Basic/${id}`, '/r4/Basic', '/r4/_history'];
}

/**
 * Rows whose index lacks values, as code before the dumped one wrote them: only reads are recorded, since the dumped
 * code does not find them.
 */
async function withoutIndexValues(store, contentOf, typeCodeOf) {
  const record = store.storage.record(6, 'client');
  const addresses = [];
  const resources = [
    { resourceType: 'Patient', name: [{ family: 'Unindexed' }], birthDate: '1950-05-05' },
    ...Array.from({ length: 6 }, (_, n) => ({
      resourceType: 'Observation',
      status: 'final',
      code: { coding: [{ system: loinc, code: '718-7' }] },
      effectiveDateTime: day(n),
      valueQuantity: { value: 10 + n },
    })),
    {
      resourceType: 'MedicationRequest',
      status: 'active',
      intent: 'order',
      contained: [{ resourceType: 'Medication', id: 'm', code: { coding: [{ system: 'urn:drug', code: '9' }] } }],
      medicationReference: { reference: '#m' },
    },
  ];
  for (const [n, resource] of resources.entries()) {
    const id = `6f1c0e5a-7b1d-4c7e-9a51-00000000000${n}`;
    await record.create(typeCodeOf('r4', resource.resourceType), id, {
      ...contentOf('r4', resource),
      index: { terms: [], ranges: [] },
    });
    addresses.push(`/r4/${resource.resourceType}/${id}`);
  }
  return [...addresses, '/r4/_history?_count=100'];
}

async function transaction(user, count, resourceOf) {
  const entry = Array.from({ length: count }, (_, n) => ({
    resource: resourceOf(n),
    request: { method: 'POST', url: resourceOf(n).resourceType },
  }));
  const response = await expectStatus(
    user.send('post', '/r4', { resourceType: 'Bundle', type: 'transaction', entry }),
    200,
  );
  return JSON.parse(response.body).entry.map(({ response: { location } }) => /\/([^/]+)\/_history\//.exec(location)[1]);
}

function put(user, resource) {
  return expectStatus(user.send('put', `/r4/${resource.resourceType}/${resource.id}`, resource), 200, 201);
}

async function expectStatus(sent, ...statuses) {
  const response = await sent;
  if (!statuses.includes(response.status)) throw new Error(`answered ${response.status}: ${response.body}`);
  return response;
}
