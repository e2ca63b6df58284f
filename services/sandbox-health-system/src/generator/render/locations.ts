import type * as R2 from 'fhir/r2';
import type * as R3 from 'fhir/r3';
import type * as R4 from 'fhir/r4';
import type { Release } from '../../releases';
import type { LocationFact, OrganizationFact } from '../facts';
import { address, coded, hl7System, hl7VersionSystem, meta, phone, reference } from './elements';

/** An Organization. */
export function organization(fact: OrganizationFact, release: Release): object {
  const common = {
    resourceType: 'Organization' as const,
    id: fact.id,
    meta: meta(fact),
    active: true,
    name: fact.name,
    telecom: [phone(fact.phone, 'work')],
    address: [address(fact.address)],
  };
  const type = coded(hl7System(release, 'organization-type'), 'prov', 'Healthcare Provider');
  if (release === 'dstu2') return { ...common, type } satisfies R2.Organization;
  const since: R3.Organization & R4.Organization = { ...common, type: [type] };
  return since;
}

/** A Location. */
export function location(fact: LocationFact, release: Release): object {
  const common = {
    resourceType: 'Location' as const,
    id: fact.id,
    meta: meta(fact),
    status: 'active' as const,
    name: fact.name,
    mode: 'instance' as const,
    address: address(fact.address),
    managingOrganization: reference('Organization', fact.organizationId),
  };
  const type = coded(hl7VersionSystem(release, 'v3', 'RoleCode'), 'OF', 'Outpatient facility');
  if (release === 'r4') return { ...common, type: [type] } satisfies R4.Location;
  const before: R2.Location & R3.Location = { ...common, type };
  return before;
}
