import { oauthUris } from '@tributary/contracts';
import { z } from 'zod';
import { softwareVersion } from '../config/software-version';
import type { Api } from './api';
import { anyone } from './authentication';

/** What the CapabilityStatement of an API says of it. */
export interface Capabilities {
  operationId: string;
  /** The public address of the API, and the path of its FHIR base below that. */
  serverUrl: string;
  path: string;
  /** The public address of auth. */
  authUrl: string;
  /** When the statement was last changed. */
  date: string;
  /** The name of the API. */
  title: string;
  description: string;
  /** The canonical URLs of the statements that the API fulfills. */
  instantiates?: readonly string[];
  /** The credentials of callers, as a sentence. */
  credentials: string;
  resource: readonly object[];
  operation?: readonly object[];
}

/** Serves the CapabilityStatement of an API of R4 (https://hl7.org/fhir/R4/capabilitystatement.html). */
export function serveCapabilityStatement(api: Api, capabilities: Capabilities): void {
  const statement = JSON.stringify(capabilityStatement(capabilities));
  api.route(
    {
      method: 'get',
      path: `${capabilities.path}/metadata`,
      operationId: capabilities.operationId,
      summary: 'The capabilities of this API',
      tags: ['Discovery'],
      authentication: anyone,
      responses: {
        200: {
          description: 'A CapabilityStatement.',
          contentType: 'application/fhir+json',
          schema: z.looseObject({ resourceType: z.literal('CapabilityStatement') }).meta({ id: 'CapabilityStatement' }),
        },
      },
    },
    ({ response }) => {
      response.type('application/fhir+json').send(statement);
      return undefined;
    },
  );
}

function capabilityStatement({ serverUrl, path, authUrl, title, credentials, ...capabilities }: Capabilities): object {
  const { date, description, instantiates, resource, operation } = capabilities;
  const base = `${serverUrl}${path}`;
  const system = 'http://terminology.hl7.org/CodeSystem/restful-security-service';
  const security = {
    extension: [oauthUris(authUrl)],
    cors: true,
    description: credentials,
    service: [{ coding: [{ system, code: 'SMART-on-FHIR' }] }],
  };
  // `JSON.stringify` leaves out what is undefined.
  return {
    resourceType: 'CapabilityStatement',
    url: `${base}/metadata`,
    name: 'Tributary',
    status: 'active',
    date,
    kind: 'instance',
    description,
    instantiates,
    software: { name: 'Tributary', version: softwareVersion },
    implementation: { description: title, url: base },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json'],
    rest: [{ mode: 'server', security, resource, operation }],
  };
}
