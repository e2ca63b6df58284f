import { randomUUID } from 'node:crypto';
import type { CollectionJob, HealthSystemEndpoint } from '@tributary/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { type ConnectionOfJob, beginCollection, columnsOfJob, jobOf } from '../collection/collection-job';
import { grantEntity } from '../grants/grant';
import type { GrantTokens } from '../grants/grant-tokens';
import type { TokenResponse } from '../health-systems/token-endpoint';
import { UserNoLongerActive } from '../users/user-keys';
import type { PatientIds } from './patient-ids';

/** What a user authorized at a health system. */
export interface Authorization {
  serviceUserId: number;
  clientId: string;
  healthSystem: { id: number; name: string };
  endpoints: HealthSystemEndpoint[];
  tokenEndpoint: string;
  signingAlgorithms?: string[] | undefined;
  patientId: string;
  scope: string;
  answer: TokenResponse;
}

/** Stores authorizations as a grant and one connection per release. */
export class EstablishConnections {
  constructor(
    private readonly source: DataSource,
    private readonly tokens: GrantTokens,
    private readonly patients: PatientIds,
  ) {}

  /**
   * All of it in one step. Who connects the same patient of the same health system again keeps the connection, with new tokens.
   * @returns the collections that are due now
   * @throws UserNoLongerActive
   */
  async establish(authorization: Authorization): Promise<CollectionJob[]> {
    const { serviceUserId, endpoints } = authorization;
    const patient = await this.patients.seal(serviceUserId, authorization.patientId);
    return this.source.transaction(async (manager) => {
      await this.#holdActiveUser(manager, serviceUserId);
      const grantId = await this.#addGrant(manager, authorization);
      const jobs: CollectionJob[] = [];
      for (const endpoint of endpoints)
        jobs.push(await this.#connect(manager, authorization, endpoint, grantId, patient));
      await manager.query(
        'DELETE FROM health_system_grant g WHERE service_user_id = $1 AND NOT EXISTS (SELECT FROM connection c WHERE c.grant_id = g.grant_id)',
        [serviceUserId],
      );
      return jobs;
    });
  }

  /** As `lockUser` does. A deletion or deactivation that comes now waits until this is stored. */
  async #holdActiveUser(manager: EntityManager, serviceUserId: number): Promise<void> {
    const rows = (await manager.query(
      `SELECT FROM service_user WHERE service_user_id = $1 AND state = 'active' FOR NO KEY UPDATE`,
      [serviceUserId],
    )) as unknown[];
    if (rows.length === 0) throw new UserNoLongerActive();
  }

  async #addGrant(
    manager: EntityManager,
    { serviceUserId, endpoints, tokenEndpoint, signingAlgorithms, scope, answer }: Authorization,
  ): Promise<string> {
    const grantId = randomUUID();
    const columns = await this.tokens.seal({ grantId, serviceUserId }, answer);
    const fhirBaseUrl = endpoints[0]?.fhir_base_url ?? '';
    await manager.insert(grantEntity, {
      grantId,
      serviceUserId,
      fhirBaseUrl,
      tokenEndpoint,
      signingAlgorithms: signingAlgorithms ?? null,
      scope,
      ...columns,
      refreshLease: null,
      refreshLeaseUntil: null,
      clientProblem: null,
      clientProblemSince: null,
    });
    return grantId;
  }

  async #connect(
    manager: EntityManager,
    { serviceUserId, clientId, healthSystem }: Authorization,
    { fhirVersion, fhir_base_url }: HealthSystemEndpoint,
    grantId: string,
    patient: { sealed: Buffer; blind: Buffer },
  ): Promise<CollectionJob> {
    const [row] = (await manager.query(
      `INSERT INTO connection (connection_id, service_user_id, client_id, health_system_id, health_system_name, fhir_version, fhir_base_url, patient_sealed, patient_blind, grant_id, status, collection_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'collecting', $11)
       ON CONFLICT (service_user_id, health_system_id, fhir_version, patient_blind) DO UPDATE SET
         health_system_name = excluded.health_system_name, fhir_base_url = excluded.fhir_base_url, grant_id = excluded.grant_id,
         ${beginCollection('excluded.collection_id')}
       RETURNING ${columnsOfJob}`,
      [
        randomUUID(),
        serviceUserId,
        clientId,
        healthSystem.id,
        healthSystem.name,
        fhirVersion,
        fhir_base_url,
        patient.sealed,
        patient.blind,
        grantId,
        randomUUID(),
      ],
    )) as ConnectionOfJob[];
    if (!row) throw new Error('a connection was not stored');
    return jobOf(row);
  }
}
