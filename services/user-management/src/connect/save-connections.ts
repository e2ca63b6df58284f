import { randomUUID } from 'node:crypto';
import type { CollectionJob, HealthSystemEndpoint, Person } from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import type { EntityManager } from 'typeorm';
import { type JobColumns, beginCollection, jobColumns, jobOf } from '../collection/collection-job';
import { type ConsentContent, insertReceipt, scopeList, sealContent } from '../consent/consent-receipts';
import type { Dependencies } from '../dependencies';
import { deleteUnusedGrants } from '../grants/delete-grants';
import { grantEntity } from '../grants/grant';
import { sealTokens } from '../grants/grant-tokens';
import { searchParametersOfAccessToken } from '../health-systems/access-token-claims';
import type { TokenResponse } from '../health-systems/token-client';
import { recordOutcomes } from '../outcomes/connect-outcomes';
import { lockActiveUser } from '../users/user-lock';
import {
  OtherPerson,
  type SealedPatientId,
  isOtherThanAll,
  peopleOfRecord,
  sealPatientId,
  sealPerson,
} from '../connections/people';
import type { PendingAuthorization } from './pending-authorizations';

export interface GrantedAuthorization {
  pending: PendingAuthorization;
  tokens: TokenResponse;
  patientId: string;
  /** Whose record it is; undefined when the Patient cannot be read. */
  person: Person | undefined;
}

export interface SavedConnections {
  /** Of the first collections. */
  jobs: CollectionJob[];
  /** Whether the Patient is another person than those of the record before. */
  isOtherPerson: boolean;
}

/**
 * Stores an authorization as a grant and one connection per endpoint, each with the receipt of the user's consent, in
 * one transaction. An existing connection of the same patient to the same health system and release is kept and gets
 * the new grant. It is collected in full: the new grant may contain what the earlier one did not.
 * @throws UserNoLongerActive
 * @throws OtherPerson when the record may not hold another person
 */
export async function saveConnections(
  { database, keys, consentEvents }: Dependencies,
  authorization: GrantedAuthorization,
): Promise<SavedConnections> {
  const { pending, tokens, person } = authorization;
  const { session, request } = pending;
  const { serviceUserId, healthSystem, client } = session;
  const grantId = randomUUID();
  const key = await keys.ofUser(serviceUserId);
  const patientId = sealPatientId(key, authorization.patientId);
  const tokenColumns = sealTokens(key, grantId, tokens);
  const saved = await database.transaction(async (manager) => {
    await lockActiveUser(manager, serviceUserId);
    const patient = { healthSystemId: healthSystem.id, blindIndex: patientId.blindIndex };
    const { isConnected, others } = await peopleOfRecord(manager, key, serviceUserId, patient);
    // A Patient who is connected already is not asked about again, whatever the health system has changed.
    const isOtherPerson = !isConnected && isOtherThanAll(person, others);
    const mayBeOther = session.confirmsPerson === true || session.client.people === 'several';
    if (isOtherPerson && !mayBeOther) throw new OtherPerson();
    const whose = { ...patientId, personSealed: person ? sealPerson(key, person) : null, isOtherPerson };
    await manager.insert(grantEntity, {
      grantId,
      serviceUserId,
      fhirBaseUrl: request.endpoints[0].fhir_base_url,
      tokenEndpoint: request.tokenEndpoint,
      signingAlgorithms: request.signingAlgorithms ?? null,
      requestedScope: pending.scope,
      scope: tokens.scope ?? pending.scope,
      searchParameters: searchParametersOfAccessToken(tokens.access_token),
      ...tokenColumns,
    });
    const upserted: UpsertedConnection[] = [];
    for (const endpoint of request.endpoints)
      upserted.push(await upsertConnection(manager, key, authorization, endpoint, grantId, whose));
    // Their tokens are not revoked: some health systems would revoke the new ones with them.
    await deleteUnusedGrants(manager, serviceUserId, request.endpoints[0].fhirVersion);
    const occurrences = upserted.filter(({ isNew }) => isNew).length;
    await recordOutcomes(
      manager,
      { healthSystem, clientId: client.client_id },
      // A connect session is counted once.
      session.connections.length === 0 ? [{ kind: 'connect', reason: 'connected' }] : [],
      occurrences === 0 ? [] : [{ kind: 'connection', label: 'new', occurrences }],
    );
    return { jobs: upserted.map(({ job }) => job), isOtherPerson };
  });
  await consentEvents.record();
  return saved;
}

interface UpsertedConnection {
  /** Of the first collection. */
  job: CollectionJob;
  isNew: boolean;
}

async function upsertConnection(
  manager: EntityManager,
  key: DataKey,
  authorization: GrantedAuthorization,
  endpoint: HealthSystemEndpoint,
  grantId: string,
  patient: SealedPatientId & { personSealed: Buffer | null; isOtherPerson: boolean },
): Promise<UpsertedConnection> {
  const { serviceUserId, client, healthSystem } = authorization.pending.session;
  const { fhirVersion, fhir_base_url } = endpoint;
  const receiptId = randomUUID();
  const newId = randomUUID();
  const [row] = (await manager.query(
    `INSERT INTO connection (connection_id, service_user_id, client_id, health_system_id, health_system_name,
     fhir_version, fhir_base_url, patient_id_sealed, patient_id_blind_index, grant_id, status, collection_id,
     consent_receipt_id, person_sealed, is_other_person)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'collecting', $11, $12, $13, $14)
     ON CONFLICT (service_user_id, health_system_id, fhir_version, patient_id_blind_index) DO UPDATE SET
       health_system_name = excluded.health_system_name, fhir_base_url = excluded.fhir_base_url,
       person_sealed = coalesce(excluded.person_sealed, connection.person_sealed),
       grant_id = excluded.grant_id, consent_receipt_id = excluded.consent_receipt_id,
       ${beginCollection('excluded.collection_id', 'true')}
     RETURNING ${jobColumns}`,
    [
      newId,
      serviceUserId,
      client.client_id,
      healthSystem.id,
      healthSystem.name,
      fhirVersion,
      fhir_base_url,
      patient.sealed,
      patient.blindIndex,
      grantId,
      randomUUID(),
      receiptId,
      patient.personSealed,
      patient.isOtherPerson,
    ],
  )) as JobColumns[];
  if (!row) throw new Error('a connection was not stored');
  await insertReceipt(
    manager,
    { serviceUserId, clientId: client.client_id },
    {
      receipt_id: receiptId,
      connection_id: row.connection_id,
      content_sealed: sealContent(key, receiptId, agreedBy(authorization, endpoint)),
    },
    consentSeconds(authorization),
  );
  return { job: jobOf(row), isNew: row.connection_id === newId };
}

/** An access token whose lifetime the health system does not state, and one that lives long, in seconds. */
const [usualLifetime, longestLifetime] = [3600, 86_400];

/** For how long the user consents; undefined: without an end. A consent of zero days ends with the access token. */
function consentSeconds({ pending, tokens }: GrantedAuthorization): number | undefined {
  const { consent_days: days } = pending.session.client;
  if (days !== 0) return days === undefined ? undefined : days * 86_400;
  return Math.max(1, Math.min(Math.floor(tokens.expires_in ?? usualLifetime), longestLifetime));
}

/** What the user has agreed to at the health system, for one release. */
function agreedBy(
  { pending: { session, scope }, tokens }: GrantedAuthorization,
  { fhirVersion, fhir_base_url }: HealthSystemEndpoint,
): ConsentContent {
  const { client_id, name, mode } = session.client;
  return {
    client: { client_id, name, mode },
    health_system: session.healthSystem,
    fhirVersion,
    fhir_base_url,
    types: session.types,
    scopes_requested: scopeList(scope),
    scopes_granted: scopeList(tokens.scope ?? scope),
  };
}
