import { fhirJsonMediaType, type HealthSystemEndpoint, withoutFinalSlash } from '@tributary/contracts';
import { z } from 'zod';
import type { OutboundHttp } from '../outbound/outbound-http';
import { claimsOfJwt } from './access-token-claims';
import { type AuthorizationServer, parseJson } from './authorization-server';
import { getWithToken } from './get-with-token';
import { isOtherUser, patientIdOfUserinfo } from './token-patient-id';

const claims = z.record(z.string(), z.unknown());
const openIdConfiguration = z.object({ userinfo_endpoint: z.string().min(1) });
const searchset = z.object({
  resourceType: z.literal('Bundle'),
  link: z.array(z.object({ relation: z.string() })).default([]),
  entry: z.array(z.object({ resource: z.object({ resourceType: z.string(), id: z.string().optional() }) })).default([]),
});

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
    const text = (url === undefined ? undefined : await getWithToken(http, url, 'application/json', accessToken)) ?? '';
    // A signed response is a JWT.
    return claims.safeParse(parseJson(text)).data ?? claimsOfJwt(text.trim());
  };
  const announcedEndpoint = async (): Promise<string | undefined> => {
    const { issuer } = server;
    if (issuer === undefined || !URL.canParse(issuer)) return undefined;
    const text = await getWithToken(
      http,
      `${withoutFinalSlash(issuer)}/.well-known/openid-configuration`,
      'application/json',
    );
    return openIdConfiguration.safeParse(parseJson(text ?? '')).data?.userinfo_endpoint;
  };
  const ofSearch = async (): Promise<string | undefined> => {
    const text = await getWithToken(
      http,
      `${withoutFinalSlash(fhir_base_url)}/Patient`,
      fhirJsonMediaType[fhirVersion],
      accessToken,
    );
    const found = searchset.safeParse(parseJson(text ?? '')).data;
    if (!found || found.link.some(({ relation }) => relation === 'next')) return undefined;
    const ids = new Set(
      found.entry.flatMap(({ resource }) => (resource.resourceType === 'Patient' ? [resource.id] : [])),
    );
    return ids.size === 1 ? [...ids][0] : undefined;
  };
  const user = await userinfo();
  return patientIdOfUserinfo(user) ?? (isOtherUser(user) ? undefined : await ofSearch());
}
