import { InternalHttp, OperatorKeysClient } from '@tributary/contracts';
import { FhirStoreUnderTest, callingService, operatingService } from '../../test/fhir-store-under-test';

it('counts the keys of clients by version, for the console only', async () => {
  const store = await FhirStoreUnderTest.start();
  try {
    const as = ({ name, key }: typeof callingService): OperatorKeysClient =>
      new OperatorKeysClient(
        new InternalHttp({ service: 'fhir-store', baseUrl: store.internalUrl, caller: name, key }),
      );
    await store.user().create('r4', { resourceType: 'Patient' });
    expect(await as(operatingService).status()).toMatchObject({
      versions: [{ state: 'current', keys: 1 }],
      unknown: [],
      not_noted: 0,
    });
    await expect(as(callingService).status()).rejects.toMatchObject({ status: 403, errorCode: 'caller_not_allowed' });
  } finally {
    await store.stop();
  }
});
