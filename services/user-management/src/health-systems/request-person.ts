import {
  type HealthSystemEndpoint,
  type Person,
  fhirJsonMediaType,
  personOf,
  withoutFinalSlash,
} from '@tributary/contracts';
import { z } from 'zod';
import type { OutboundHttp } from '../outbound/outbound-http';
import { parseJson } from './authorization-server';
import { getWithToken } from './get-with-token';

const patient = z.looseObject({ resourceType: z.literal('Patient') });

/** Whose record a Patient of a health system is; undefined when it cannot be read. */
export async function requestPerson(
  http: OutboundHttp,
  { fhirVersion, fhir_base_url }: HealthSystemEndpoint,
  patientId: string,
  accessToken: string,
): Promise<Person | undefined> {
  const url = `${withoutFinalSlash(fhir_base_url)}/Patient/${encodeURIComponent(patientId)}`;
  const text = await getWithToken(http, url, fhirJsonMediaType[fhirVersion], accessToken);
  const read = patient.safeParse(parseJson(text ?? '')).data;
  return read && personOf(read);
}
