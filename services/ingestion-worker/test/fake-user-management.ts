import { randomUUID } from 'node:crypto';
import {
  type AccessTokenRequest,
  type CollectionJob,
  type CollectionReport,
  type ConnectionForCollection,
  type FhirVersion,
  type TypeProgress,
  accessTokenRequest,
  collectionReport,
  connectionStatusRequest,
  healthSystemPausedCode,
  refreshPostponedCode,
} from '@tributary/contracts';
import { isAxiosError } from 'axios';
import { type InternalResponse, type InternalRequest, FakeInternalServer } from './fake-internal-server';
import { type Sandbox, type Tokens, defaultScope } from './sandbox';

/** A connection of a person to the sandbox, with its tokens and the reports of its collections. */
export interface TestConnection {
  connection: ConnectionForCollection;
  username: string;
  host: number;
  tokens: Tokens;
  tokenId: string;
  expiresAt: number;
  refreshes: number;
  /** Refreshes that were sent, refused ones included. */
  refreshRequests: number;
  refusedRefreshes: number;
  /** Tokens in a row that the sandbox rejected in their first request. */
  uselessTokens: number;
  /** No refresh is sent before, in epoch milliseconds. */
  nextRefreshAt: number;
  refreshing: Promise<void> | undefined;
  reports: CollectionReport[];
  /** When its job is to be added to the queue again, in epoch milliseconds. */
  queueAt: number;
  /** How often its job was queued: an attempt that a busy machine stops is repeated. */
  queued: number;
  endedAt: number | undefined;
  /** The next access token or report is refused, and the connection is revoked. */
  hasConsentEnded: boolean;
}

const retryMs = 150;
/** How long a collection may send no report before its job is queued again. */
const quietMs = 3000;
/** As in user-management, with a shorter delay. */
const maxRefusedRefreshes = 3;
const maxUselessTokens = 3;
const refreshDelayMs = 1000;

const refused = (status: number, code: string): InternalResponse => ({
  status,
  body: { success: false, error: code, error_code: code },
});

const refreshPostponed: InternalResponse = {
  ...refused(503, refreshPostponedCode),
  headers: { 'Retry-After': String(refreshDelayMs / 1000) },
};

/**
 * The internal API of user-management, in memory: connections, access tokens, reports. A collection is due to be queued
 * again after a transient failure, and when it sends no reports.
 */
export class FakeUserManagement {
  readonly held = new Map<string, TestConnection>();
  server!: FakeInternalServer;
  /** Called before a report is applied. */
  onReport: (held: TestConnection, report: CollectionReport) => void = () => undefined;
  /** Called when the worker asks whether it may store a batch. */
  onStore: (held: TestConnection) => void = () => undefined;
  /** Called when a collection is reported as completed. */
  onCompleted: (held: TestConnection) => void = () => undefined;
  #users = 0;

  private constructor(private readonly sandbox: Sandbox) {}

  static async start(sandbox: Sandbox): Promise<FakeUserManagement> {
    const fake = new FakeUserManagement(sandbox);
    fake.server = await FakeInternalServer.start((request) => fake.#respond(request));
    return fake;
  }

  /** Connects a person to the sandbox; the collection is ready to be queued. */
  async connect(
    username: string,
    scenario: string | undefined,
    release: FhirVersion = 'r4',
    host = 0,
    requestedScope = defaultScope,
  ): Promise<TestConnection> {
    const hint = scenario ? `${username}+${scenario}` : username;
    const tokens = await this.sandbox.signIn(hint, release, host, requestedScope);
    return this.hold(this.sandbox.fhirBase(release, host), tokens, { username, release, host, requestedScope });
  }

  /** Adds a connection to a health system with these tokens. */
  hold(
    fhirBaseUrl: string,
    tokens: Tokens,
    {
      username = 'someone',
      release = 'r4',
      host = 0,
      requestedScope = defaultScope,
    }: { username?: string; release?: FhirVersion; host?: number; requestedScope?: string } = {},
  ): TestConnection {
    const connection: ConnectionForCollection = {
      connection_id: randomUUID(),
      client_id: '0123456789abcdef01234567',
      service_user_id: ++this.#users,
      health_system_id: 1 + host,
      fhirVersion: release,
      fhir_base_url: fhirBaseUrl,
      patient_id: tokens.patient,
      requested_scope: requestedScope,
      granted_scope: tokens.scope,
      search_parameters: {},
      consented_types: null,
      status: 'collecting',
      collection_id: randomUUID(),
      last_completed_at: null,
      is_full_requested: false,
    };
    const held: TestConnection = {
      connection,
      username,
      host,
      tokens,
      tokenId: randomUUID(),
      expiresAt: Date.now() + tokens.expires_in * 1000,
      refreshes: 0,
      refreshRequests: 0,
      refusedRefreshes: 0,
      uselessTokens: 0,
      nextRefreshAt: 0,
      refreshing: undefined,
      reports: [],
      queued: 0,
      queueAt: Infinity,
      endedAt: undefined,
      hasConsentEnded: false,
    };
    this.held.set(connection.connection_id, held);
    return held;
  }

  /** Starts a new collection of a connection. */
  collectAgain(held: TestConnection, isFullRequested = false): CollectionJob {
    held.connection.collection_id = randomUUID();
    held.connection.is_full_requested = isFullRequested;
    held.connection.status = 'collecting';
    return jobOf(held);
  }

  /** The jobs that are due to be queued again. */
  takeDue(): CollectionJob[] {
    const due = [...this.held.values()].filter(
      ({ connection, queueAt }) => connection.status === 'collecting' && queueAt <= Date.now(),
    );
    return due.map(jobOf);
  }

  async #respond({
    method,
    path: [, connectionId = '', what, collectionId],
    body,
  }: InternalRequest): Promise<InternalResponse> {
    if (method === 'POST' && connectionId === 'status')
      return { status: 200, body: this.#statuses(connectionStatusRequest.parse(JSON.parse(body)).connection_ids) };
    const held = this.held.get(connectionId);
    if (!held) return refused(404, 'connection_not_found');
    if (method === 'GET' && what === undefined) return { status: 200, body: held.connection };
    if (method === 'POST' && what === 'access-token')
      return this.#accessToken(held, accessTokenRequest.parse(JSON.parse(body)));
    if (method === 'GET' && what === 'collections') return this.#findCollection(held, collectionId);
    if (method === 'PUT' && what === 'collections')
      return this.#takeReport(held, collectionId, collectionReport.parse(JSON.parse(body)));
    return refused(404, 'not_found');
  }

  #statuses(ids: string[]): object {
    return {
      connections: ids
        .flatMap((id) => this.held.get(id)?.connection ?? [])
        .map(({ connection_id, status }) => ({ connection_id, status })),
    };
  }

  async #accessToken(
    held: TestConnection,
    { refused_token_id: refusedTokenId, never_accepted: wasNeverAccepted = false }: AccessTokenRequest,
  ): Promise<InternalResponse> {
    if (held.connection.is_paused) return refused(409, healthSystemPausedCode);
    if (held.hasConsentEnded) {
      held.connection.status = 'revoked';
      return refused(409, 'consent_ended');
    }
    try {
      while (held.tokenId === refusedTokenId || held.expiresAt <= Date.now()) {
        if (!held.refreshing && held.nextRefreshAt > Date.now()) return refreshPostponed;
        if (!held.refreshing) held.uselessTokens = wasNeverAccepted ? held.uselessTokens + 1 : 0;
        held.refreshing ??= this.#refresh(held).finally(() => {
          held.refreshing = undefined;
        });
        await held.refreshing;
      }
    } catch (error) {
      const response = isAxiosError(error) ? error.response : undefined;
      const code = (response?.data as { error?: string } | undefined)?.error;
      if (response && response.status < 500 && response.status !== 429) held.refusedRefreshes++;
      const isLost = code === 'invalid_grant' || held.refusedRefreshes >= maxRefusedRefreshes;
      held.nextRefreshAt = Date.now() + refreshDelayMs;
      if (!isLost && held.tokens.refresh_token) return refreshPostponed;
      held.connection.status = 'needs_reauthorization';
      return refused(409, 'needs_reauthorization');
    }
    return {
      status: 200,
      body: {
        access_token: held.tokens.access_token,
        token_id: held.tokenId,
        expires_at: new Date(held.expiresAt).toISOString(),
      },
    };
  }

  #findCollection(held: TestConnection, collectionId: string | undefined): InternalResponse {
    this.onStore(held);
    return isInProgress(held, collectionId) ? { status: 200, body: {} } : refused(409, 'stale_collection');
  }

  #takeReport(held: TestConnection, collectionId: string | undefined, report: CollectionReport): InternalResponse {
    this.onReport(held, report);
    const response = takeReport(held, collectionId, report);
    if (response.status === 200 && report.state === 'completed') this.onCompleted(held);
    return response;
  }

  async #refresh(held: TestConnection): Promise<void> {
    held.refreshRequests++;
    const fresh = await this.sandbox.refresh(held.tokens.refresh_token ?? '', held.host);
    held.tokens = { ...held.tokens, ...fresh };
    held.tokenId = randomUUID();
    held.expiresAt = Date.now() + fresh.expires_in * 1000;
    held.refreshes++;
    if (held.uselessTokens >= maxUselessTokens) held.nextRefreshAt = Date.now() + refreshDelayMs;
  }
}

function isInProgress({ connection, hasConsentEnded }: TestConnection, collectionId: string | undefined): boolean {
  if (hasConsentEnded) connection.status = 'revoked';
  return connection.collection_id === collectionId && connection.status === 'collecting';
}

function takeReport(
  held: TestConnection,
  collectionId: string | undefined,
  report: CollectionReport,
): InternalResponse {
  const { connection } = held;
  if (!isInProgress(held, collectionId)) return refused(409, 'stale_collection');
  held.reports.push(report);
  const isTransient = report.state === 'failed' && report.failure === 'transient';
  held.queueAt = Date.now() + (isTransient ? retryMs : quietMs);
  if (report.state === 'collecting' && connection.is_paused) {
    held.queueAt = Infinity;
    return refused(409, healthSystemPausedCode);
  }
  if (report.state !== 'collecting' && !isTransient) {
    connection.status = report.state === 'completed' ? 'active' : 'failed';
    held.endedAt = Date.now();
  }
  return { status: 200, body: {} };
}

/** The job of a collection, which the caller queues. */
export function jobOf(held: TestConnection): CollectionJob {
  held.queueAt = Date.now() + quietMs;
  held.queued++;
  const { connection_id, collection_id, fhir_base_url } = held.connection;
  return { connection_id, collection_id, host: new URL(fhir_base_url).host };
}

/** The progress of a type in the last report. */
export function progressOf(held: TestConnection, type: string): TypeProgress | undefined {
  return held.reports.at(-1)?.types.find((progress) => progress.type === type);
}
