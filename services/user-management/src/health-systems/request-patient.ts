import {
  type HealthSystemEndpoint,
  type Person,
  fhirJsonMediaType,
  personOf,
  withoutFinalSlash,
} from '@tributary/contracts';
import { OutboundRequestFailed } from '@tributary/outbound';
import { z } from 'zod';
import type { OutboundHttp } from '../outbound/outbound-http';
import { claimsOfJwt } from './access-token-claims';
import { type AuthorizationServer, parseJson } from './authorization-server';
import { isOtherUser, patientIdOfUserinfo } from './token-patient-id';

const claims = z.record(z.string(), z.unknown());
const openIdConfiguration = z.object({ userinfo_endpoint: z.string().min(1) });
const searchset = z.object({
  resourceType: z.literal('Bundle'),
  link: z.array(z.object({ relation: z.string() })).default([]),
  entry: z.array(z.object({ resource: z.object({ resourceType: z.string(), id: z.string().optional() }) })).default([]),
});
const patient = z.looseObject({ resourceType: z.literal('Patient') });

/**
 * The text of a response with the status 200; empty for another one, or none. A redirect is not followed: it would send
 * the token elsewhere.
 */
async function read(http: OutboundHttp, url: string, accept: string, token?: string): Promise<string> {
  try {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const { status, text } = await http.getWithoutRedirects(url, accept, headers);
    return status === 200 ? text : '';
  } catch (error) {
    if (error instanceof OutboundRequestFailed) return '';
    throw error;
  }
}

/** Whose record a Patient of a health system is; undefined when it cannot be read. */
export async function requestPerson(
  http: OutboundHttp,
  { fhirVersion, fhir_base_url }: HealthSystemEndpoint,
  patientId: string,
  accessToken: string,
): Promise<Person | undefined> {
  const url = `${withoutFinalSlash(fhir_base_url)}/Patient/${encodeURIComponent(patientId)}`;
  const found = patient.safeParse(parseJson(await read(http, url, fhirJsonMediaType[fhirVersion], accessToken))).data;
  return found && personOf(found);
}

/**
 * Asks a health system whose the access token is, when its token response does not tell, as that of Medicare's Blue
 * Button: the userinfo endpoint (OpenID Connect Core, section 5.3), or else a search for the patients that the token
 * gives access to, when it finds exactly one.
 * @returns undefined when neither tells, also as the user is a practitioner or a relative; no failure is an error
 */
export async function requestPatientId(
  http: OutboundHttp,
  { fhirVersion, fhir_base_url }: HealthSystemEndpoint,
  server: Pick<AuthorizationServer, 'issuer' | 'userinfoEndpoint'>,
  accessToken: string,
): Promise<string | undefined> {
  const userinfo = async (): Promise<Record<string, unknown>> => {
    const url = server.userinfoEndpoint ?? (await announcedEndpoint());
    const text = url === undefined ? '' : await read(http, url, 'application/json', accessToken);
    // A signed response is a JWT.
    return claims.safeParse(parseJson(text)).data ?? claimsOfJwt(text.trim());
  };
  const announcedEndpoint = async (): Promise<string | undefined> => {
    const { issuer } = server;
    if (issuer === undefined || !URL.canParse(issuer)) return undefined;
    const text = await read(http, `${withoutFinalSlash(issuer)}/.well-known/openid-configuration`, 'application/json');
    return openIdConfiguration.safeParse(parseJson(text)).data?.userinfo_endpoint;
  };
  const ofSearch = async (): Promise<string | undefined> => {
    const url = `${withoutFinalSlash(fhir_base_url)}/Patient`;
    const text = await read(http, url, fhirJsonMediaType[fhirVersion], accessToken);
    const found = searchset.safeParse(parseJson(text)).data;
    if (!found || found.link.some(({ relation }) => relation === 'next')) return undefined;
    const ids = new Set(
      found.entry.flatMap(({ resource }) => (resource.resourceType === 'Patient' ? [resource.id] : [])),
    );
    return ids.size === 1 ? [...ids][0] : undefined;
  };
  const user = await userinfo();
  return patientIdOfUserinfo(user) ?? (isOtherUser(user) ? undefined : await ofSearch());
}
