import { z } from 'zod';
import { parsedJson } from './authorization-server';

/**
 * The id of the patient whom a token answer is about: its `patient`, else the Patient that the id_token names as the user. The id_token
 * came straight from the token endpoint, so that its signature need not be checked (OpenID Connect Core, 3.1.3.7, item 6).
 */
export function patientOfToken({
  patient,
  id_token,
}: {
  patient?: string | undefined;
  id_token?: string | undefined;
}): string | undefined {
  if (patient) return patient.replace(/^Patient\//, '');
  const claims = z
    .object({ fhirUser: z.string().optional(), profile: z.string().optional() })
    .safeParse(parsedJson(Buffer.from(id_token?.split('.')[1] ?? '', 'base64url').toString()));
  const user = claims.data?.fhirUser ?? claims.data?.profile ?? '';
  return /(?:^|\/)Patient\/([A-Za-z0-9.-]{1,64})$/.exec(user)?.[1];
}
