import { searchParameters } from '../fhir/search-parameters';
import { fhirVersions, mediaTypes, type Release } from '../releases';
import type { Sandbox } from '../sandbox';
import type { Capabilities, CapableType } from '../scenarios/scenario';
import type { PublicBase } from '../public-base';
import { oauthEndpoints } from './smart-configuration';

/**
 * The capabilities of the server: a Conformance in DSTU2, a CapabilityStatement since STU3
 * (https://hl7.org/fhir/R4/capabilitystatement.html).
 */
export function capabilityStatement(
  sandbox: Sandbox,
  publicBase: PublicBase,
  release: Release,
  types: Map<string, { searchable: boolean }>,
): Capabilities {
  const common = {
    status: 'active',
    date: '2024-01-01',
    publisher: 'Sandbox Health',
    kind: 'instance',
    software: { name: 'Tributary sandbox health system' },
    fhirVersion: fhirVersions[release],
    format: release === 'r4' ? ['json'] : [mediaTypes[release], 'json'],
  };
  const rest = [
    { mode: 'server', security: security(sandbox, publicBase, release), resource: resources(release, types) },
  ];
  if (release === 'dstu2') {
    return {
      resourceType: 'Conformance',
      ...common,
      description: 'A simulated health system for developers',
      acceptUnknown: 'both',
      rest,
    };
  }
  return {
    resourceType: 'CapabilityStatement',
    ...common,
    description: 'A simulated health system for developers',
    implementation: { description: 'Sandbox Health', url: `${publicBase.origin}${publicBase.prefix}/fhir/${release}` },
    ...(release === 'stu3' ? { acceptUnknown: 'both' } : {}),
    rest,
  };
}

function security(sandbox: Sandbox, publicBase: PublicBase, release: Release): Record<string, unknown> {
  const { authorize, token, revoke } = oauthEndpoints(sandbox, publicBase);
  const system =
    release === 'r4'
      ? 'http://terminology.hl7.org/CodeSystem/restful-security-service'
      : 'http://hl7.org/fhir/restful-security-service';
  return {
    extension: [
      {
        url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
        extension: Object.entries({ authorize, token, revoke }).map(([url, valueUri]) => ({
          url,
          valueUri,
        })),
      },
    ],
    cors: true,
    service: [{ coding: [{ system, code: 'SMART-on-FHIR' }], text: 'OAuth2 using SMART-on-FHIR profile' }],
  };
}

function resources(release: Release, types: Map<string, { searchable: boolean }>): CapableType[] {
  return [...types]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([type, { searchable }]) => ({
      type,
      ...(release === 'r4' ? { versioning: 'versioned' } : {}),
      interaction: [{ code: 'read' }, ...(searchable ? [{ code: 'search-type' }] : [])],
      ...(searchable ? { searchParam: parametersOf(type) } : {}),
    }));
}

function parametersOf(type: string): { name: string; type: string }[] {
  return [...searchParameters]
    .filter(([name]) => type !== 'Patient' || name.startsWith('_') || name === 'identifier')
    .map(([name, kind]) => ({ name, type: kind }));
}
